import numpy as np
import pytest

import baytree as bt
from digit_networks import fit_tuned, impute_with_certainty
from hidden_digits import PIXELS, SHADES, hide_pixels, shade_codes


@pytest.fixture(scope="module")
def digits():
    return hide_pixels(100)


def test_certainty_is_the_mean_posterior_of_what_was_filled(digits):
    imputer = bt.BayesianNetworkImputer(2, n_networks=2, regressions=False, random_state=0)
    imputer.fit(digits.table)
    codes, certainty = impute_with_certainty(digits, imputer)
    for row in (0, int(np.flatnonzero(digits.lost_a_quarter)[0])):
        seen = digits.table.iloc[row].dropna().to_dict()
        for pixel in np.flatnonzero(digits.is_hidden[row]):
            posteriors = [n.posterior(PIXELS[pixel], seen) for n in imputer.networks_]
            mean = sum(posteriors) / len(posteriors)
            assert certainty[row, pixel] == pytest.approx(mean.max())
            assert mean[SHADES[codes[row, pixel]]] == pytest.approx(mean.max())
    assert (certainty[~digits.is_hidden] == 1).all()
    assert (codes == shade_codes(digits.truth))[~digits.is_hidden].all()


def test_settings_are_those_that_did_best_on_pixels_in_sight(digits):
    imputer = fit_tuned(digits, random_state=0, n_jobs=1)
    tried = {
        (score, prior): value for score, prior, value in imputer.tuning_.itertuples(index=False)
    }
    assert tuple(imputer.chosen_.values()) == max(tried, key=tried.get)


def test_ctrl_c_does_not_go_on_with_half_a_network(digits, monkeypatch):
    def stopped(self, table):
        self.is_interrupted_ = True
        return self

    monkeypatch.setattr(bt.BayesianNetworkImputer, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        fit_tuned(digits, random_state=0, n_jobs=1)
