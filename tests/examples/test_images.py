import numpy as np

from hidden_digits import shade_codes
from tiles import TILE_NAMES, quarter_examples, scattered_examples


def test_examples_are_the_first_of_their_digit(findings):
    written, lost = findings.digits.digits, findings.digits.lost_a_quarter
    for examples, among in (
        (quarter_examples(findings), lost),
        (scattered_examples(findings), ~lost),
    ):
        assert {example.digit for example in examples} == set(written[among].tolist())
        for example in examples:
            assert among[example.number]
            assert not (among & (written == example.digit))[: example.number].any()


def test_examples_count_their_own_mistakes(findings):
    truth, hidden = shade_codes(findings.digits.truth), findings.digits.is_hidden
    for example in scattered_examples(findings):
        row = example.number
        wrong = np.count_nonzero(truth[row] != findings.codes[row])
        assert example.n_hidden == np.count_nonzero(hidden[row])
        assert example.n_right == example.n_hidden - wrong
        assert tuple(example.tiles) == TILE_NAMES
