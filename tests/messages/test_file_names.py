import pytest

from baytree.messages.file_names import refuse_unknown_compression


@pytest.mark.parametrize("name", ["a.bz2", "a.jkl.zip", "a.jkl.zst", "a.JKL.BZ2", "a.tar"])
def test_a_compression_that_is_not_ours_is_refused_with_the_names_that_are(name):
    message = rf"{name}: .* as \.\w+\. .* \.jkl, \.jkl\.gz or \.jkl\.xz\."
    with pytest.raises(ValueError, match=message):
        refuse_unknown_compression(name)


@pytest.mark.parametrize("name", ["a.jkl", "a.jkl.gz", "a.XZ", "a", "a.txt", "zip", "v1.2"])
def test_any_other_name_will_do(name):
    refuse_unknown_compression(name)
