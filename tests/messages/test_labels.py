from baytree.messages.labels import MAX_LETTERS, shown_labels


def test_labels_of_the_same_text_get_different_texts():
    assert shown_labels([1, "1", 2]) == ["1", "'1'", "2"]


def test_labels_that_differ_only_far_behind_are_numbered():
    long = "a" * MAX_LETTERS
    shown = shown_labels([long + "b", long + "c"])
    assert len(set(shown)) == 2
    assert max(map(len, shown)) < MAX_LETTERS + 20


def test_half_a_surrogate_pair_is_spelled_out():
    assert shown_labels(["a\ud800", "🌳"]) == ["a\\ud800", "🌳"]
