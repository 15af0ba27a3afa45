"""Mostly missing variables in structural EM: isolated where their arcs do harm."""

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import RejectedNetworksWarning
from baytree.learning.constraints import PositionalConstraints
from baytree.learning.isolation import isolate, isolation_gains, most_missing
from baytree.learning.searches import FoundStructure, search_history, search_table
from baytree.networks.decomposition import min_degree_order
from baytree.tables.weighted_rows import weighted_rows
from em_oracle import DenseEm

N_ROWS = 300
KINDS = ("identifier", "indicator", "sparse", "copy", "sparse and copy", "junk and indicator")
IDENTIFIERS = "ignore::baytree.exceptions.IdentifierWarning"
EM_ERROR = 0.3  # nats; EM ends a little before the maximum


def complete_rows(rng):
    """Six variables with three dependences of two parents."""
    columns = [rng.integers(0, 2, N_ROWS) for _ in range(3)]
    for first, second in [(0, 1), (1, 2), (0, 2)]:
        state = (columns[first] + columns[second]) % (2 + (first == 0))
        is_noise = rng.random(N_ROWS) < 0.15
        columns.append(np.where(is_noise, rng.integers(0, state.max() + 1, N_ROWS), state))
    return columns


def mostly_missing(kind, columns, rng):
    """Return a column with few observed cells, which says nothing unless it is a copy."""
    tells = columns[3].astype(float)
    states, rate = {
        "identifier": (rng.integers(0, 60, N_ROWS), np.full(N_ROWS, 0.75)),
        "indicator": (rng.integers(0, 30, N_ROWS), 0.95 - 0.3 * tells),
        "sparse": (rng.integers(0, 3, N_ROWS), 0.99 - 0.15 * tells),
        "junk": (rng.integers(0, 4, N_ROWS), np.full(N_ROWS, 0.85)),
        "copy": (columns[0] + 2 * columns[1], np.full(N_ROWS, 0.7)),
    }[kind]
    return np.where(rng.random(N_ROWS) < rate, np.nan, states)


def table_with(kind):
    rng = np.random.default_rng(0)
    columns = complete_rows(rng)
    table = pd.DataFrame({f"x{i}": column for i, column in enumerate(columns)}, dtype=float)
    for name in kind.split(" and "):
        table[name] = mostly_missing(name, columns, rng)
    return table.map(lambda state: None if np.isnan(state) else f"s{state:.0f}")


def log_likelihood(network, table):
    """Log-likelihood of the observed cells, by sums over the joint states of missing ones."""
    names, states = network.variables, [network.states(name) for name in network.variables]
    parents = [[names.index(parent) for parent in network.parents(name)] for name in names]
    joint = np.ones([len(of_variable) for of_variable in states])
    for factor in DenseEm(joint.shape, parents, [], 0).from_network(network):
        joint = joint * factor
    rows = [
        tuple(
            s.index(cell) if isinstance(cell, str) else slice(None)
            for cell, s in zip(row, states, strict=True)
        )
        for row in table[list(names)].itertuples(index=False)
    ]
    return sum(np.log(joint[row].sum()) for row in rows)


def weight_of(criterion):
    return 1.0 if criterion == "aic" else np.log(N_ROWS) / 2


def criterion_of(network, table, criterion):
    shapes = [network.cpt(name).shape for name in network.variables]
    n_free = sum(n_rows * (n_states - 1) for n_rows, n_states in shapes)
    return log_likelihood(network, table) - weight_of(criterion) * n_free


def criterion_alone(column, criterion):
    """Criterion of a variable without arcs, which has a prior of one row."""
    counts = column.value_counts().to_numpy()
    shares = (counts + 1 / len(counts)) / (counts.sum() + 1)
    return counts @ np.log(shares) - weight_of(criterion) * (len(counts) - 1)


def structure(parents):
    order = min_degree_order(parents)
    return FoundStructure(0.0, parents, order, 0, 0, search_history([]), False, False)


def learner(**options):
    return bt.NetworkLearner(**{"max_treewidth": 2, "random_state": 0} | options)


@pytest.mark.filterwarnings(IDENTIFIERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("criterion", ["bic", "aic"])
@pytest.mark.parametrize("search", ["exact", "anneal"])
def test_no_mostly_missing_variable_is_better_left_out(kind, criterion, search):
    table = table_with(kind)
    options = {"criterion": criterion, "search": search}
    with_all = criterion_of(learner(**options).fit(table).network_, table, criterion)
    for name in kind.split(" and "):
        rest = table.drop(columns=name)
        without = criterion_of(learner(**options).fit(rest).network_, rest, criterion)
        alone = criterion_alone(table[name].dropna(), criterion)
        assert with_all > without + alone - EM_ERROR, name


@pytest.mark.parametrize("max_em_iterations", [1, 5, 50])
def test_the_choice_of_a_network_does_not_depend_on_the_iterations_before(max_em_iterations):
    table = table_with("sparse")
    em = bt.StructuralEM(max_em_iterations=max_em_iterations)
    found = criterion_of(learner(em=em).fit(table).network_, table, "bic")
    assert found == pytest.approx(
        criterion_of(learner().fit(table).network_, table, "bic"), abs=EM_ERROR
    )


def test_a_required_arc_of_an_isolated_variable_stays():
    constraints = bt.ArcConstraints(required=[("indicator", "x0")])
    fitted = learner(criterion="aic", constraints=constraints).fit(table_with("indicator"))
    assert [arc for arc in fitted.network_.arcs if "indicator" in arc] == [("indicator", "x0")]


def test_isolation_is_the_same_on_any_number_of_threads():
    fits = [learner(criterion="aic", n_jobs=n).fit(table_with("indicator")) for n in (1, 3)]
    assert fits[0].network_ == fits[1].network_
    assert not any("indicator" in arc for arc in fits[0].network_.arcs)


def test_nothing_is_proven_of_a_network_with_an_isolated_variable():
    settings = {"search": "exact", "criterion": "aic"}
    assert learner(**settings).fit(table_with("copy")).is_proven_
    assert not learner(**settings).fit(table_with("indicator")).is_proven_


def test_a_search_without_a_variable_that_runs_out_of_time_does_not_fail_the_fit(monkeypatch):
    def timed_out(problem, *args, **options):
        if any(problem.constraints.forbidden):
            raise TimeoutError
        return search_table(problem, *args, **options)

    table, options = table_with("indicator"), {"criterion": "aic", "search": "exact"}
    best = criterion_of(learner(**options).fit(table).network_, table, "aic")
    monkeypatch.setattr("baytree.learning.structural_em.search_table", timed_out)
    found = criterion_of(learner(**options).fit(table).network_, table, "aic")
    assert -np.inf < found <= best


def test_a_variable_that_tells_about_others_keeps_its_arcs():
    fitted = learner().fit(table_with("copy"))
    assert any("copy" in arc for arc in fitted.network_.arcs)


def test_a_warning_names_the_most_missing_variable_if_the_start_is_returned():
    rng = np.random.default_rng(0)
    first, second, third = rng.integers(0, 2, (3, N_ROWS))
    is_missing = rng.random(N_ROWS) < np.where(first == second, 0.95, 0.3)
    table = pd.DataFrame({"a": first, "b": second, "c": third}, dtype=float)
    table["d"] = np.where(is_missing, np.nan, rng.integers(0, 2, N_ROWS))
    with pytest.warns(RejectedNetworksWarning, match=r"Look at 'd' \(\d\d% of its cells are miss"):
        fitted = learner().fit(table)
    assert fitted.network_.arcs == ()


def test_isolated_variables_lose_all_arcs_but_the_required_ones():
    found = structure([(), (0,), (0, 1), (2,)])
    none_required = PositionalConstraints([()] * 4, [()] * 4)
    one_required = PositionalConstraints([(), (0,), (), ()], [()] * 4)
    first = frozenset({0})
    assert isolate(found, first, none_required).parents == [(), (), (1,), (2,)]
    assert isolate(found, first, one_required).parents == [(), (0,), (1,), (2,)]
    assert isolate(found, frozenset({2, 3}), none_required).parents == [(), (0,), (), ()]


class PairScorer:
    """Every family has a number of its own."""

    def score(self, child, parents):
        return (child + 1) * sum((parent + 2) ** 2 for parent in parents) - child


@pytest.mark.parametrize("required", [(), (0,)])
def test_gains_are_differences_of_whole_structures(required):
    found, scorer = structure([(), (0,), (0, 1), (2,)]), PairScorer()
    constraints = PositionalConstraints([(), required, (), ()], [()] * 4)

    def score(parents):
        return sum(scorer.score(child, members) for child, members in enumerate(parents))

    gains = isolation_gains(scorer, found, [3, 0, 1], constraints)
    assert gains == {
        v: score(isolate(found, frozenset({v}), constraints).parents) - score(found.parents)
        for v in (3, 0, 1)
    }


def test_the_variables_with_the_most_missing_cells_come_first():
    codes = np.asfortranarray([[0, -1, 0, -1], [1, -1, -1, 1], [1, 0, 0, -1]], dtype=np.int32)
    arities = np.array([2, 1, 1, 2], np.int32)
    assert most_missing(weighted_rows(list("abcd"), arities, codes, None)) == [1, 3, 2]
    assert most_missing(weighted_rows(list("abcd"), arities, codes, [1, 1, 9])) == [3, 1, 2]
