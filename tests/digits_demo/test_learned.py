import numpy as np
import pytest

import baytree as bt
from baytree.digits_demo.digits import PIXELS, SHADES, holed_digits, shade_codes
from baytree.digits_demo.learned import filled_digits, tuned_imputer


@pytest.fixture(scope="module")
def digits():
    return holed_digits(100)


def test_certainty_is_the_mean_posterior_of_what_was_filled(digits):
    imputer = bt.BayesianNetworkImputer(2, n_networks=2, regressions=False, random_state=0)
    imputer.fit(digits.holes)
    filled = filled_digits(digits, imputer)
    for row in (0, int(np.flatnonzero(digits.lost_a_quarter)[0])):
        seen = digits.holes.iloc[row].dropna().to_dict()
        for pixel in np.flatnonzero(digits.is_hidden[row]):
            posteriors = [n.posterior(PIXELS[pixel], seen) for n in imputer.networks_]
            mean = sum(posteriors) / len(posteriors)
            assert filled.certainty[row, pixel] == pytest.approx(mean.max())
            assert mean[SHADES[filled.codes[row, pixel]]] == pytest.approx(mean.max())
    assert (filled.certainty[~digits.is_hidden] == 1).all()
    assert (filled.codes == shade_codes(digits.truth))[~digits.is_hidden].all()


def test_settings_are_those_that_did_best_on_pixels_in_sight(digits):
    imputer = tuned_imputer(digits, seed=0, n_jobs=1)
    tried = {
        (score, prior): value for score, prior, value in imputer.tuning_.itertuples(index=False)
    }
    assert tuple(imputer.chosen_.values()) == max(tried, key=tried.get)


def test_ctrl_c_does_not_go_on_with_half_a_network(digits, monkeypatch):
    def stopped(self, table):
        self.interrupted_ = True
        return self

    monkeypatch.setattr(bt.BayesianNetworkImputer, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        tuned_imputer(digits, seed=0, n_jobs=1)
