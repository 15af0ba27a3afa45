import itertools

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import UnknownStateError


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("n_networks", [1, 2])
def test_numbers_get_the_bin_in_the_middle_of_their_distribution(n_networks):
    random = np.random.default_rng(0)
    group = random.choice(["a", "b", "c"], size=400)
    low = random.random(400) < 0.3  # a narrow peak far from where most numbers are
    number = np.where(low, random.normal(0, 0.1, 400), random.normal(50, 20, 400))
    table = pd.DataFrame({"group": group, "number": number, "other": number + random.random(400)})
    table = bt.ampute(table, 0.2, random_state=1)
    settings = {"n_networks": n_networks, "random_state": 0}
    imputer = bt.BayesianNetworkImputer(max_treewidth=2, **settings).fit(table)
    filled = imputer.transform(table)
    cells = imputer.cell_probabilities(table)
    bins = {name: imputer.network_._encoding.bins[i] for i, name in enumerate(table) if i}
    n_checked = n_not_likeliest = 0
    for (row, name), cell in cells.groupby(["row", "variable"], sort=False):
        if name not in bins or table.loc[row].isna().all():
            continue
        states = dict(zip(cell["state"], cell["probability"], strict=True))
        up_to = itertools.accumulate(states[label] for label in bins[name].labels)
        middle = next(i for i, share in enumerate(up_to) if share >= 0.5)
        assert filled.loc[row, name] == bins[name].medians[middle]
        n_checked += 1
        n_not_likeliest += (
            cell["state"].iloc[cell["probability"].argmax()] != bins[name].labels[middle]
        )
    assert n_checked > 50
    assert n_not_likeliest > 0


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_the_error_on_text_among_numbers_says_that_the_column_was_numeric():
    numbers = np.random.default_rng(0).normal(size=100)
    imputer = bt.BayesianNetworkImputer(1, random_state=0).fit(pd.DataFrame({"age": numbers}))
    with pytest.raises(UnknownStateError, match="'age' has '12 kg' in row 1, which is no number"):
        imputer.transform(pd.DataFrame({"age": [np.nan, "12 kg"]}))
