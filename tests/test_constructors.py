"""Constructors stay small enough to be read."""

import inspect

import pytest

import baytree as bt


@pytest.mark.parametrize(
    ("estimator", "most"), [(bt.NetworkLearner, 16), (bt.BayesianNetworkImputer, 14)]
)
def test_constructors_have_few_parameters(estimator, most):
    assert len(inspect.signature(estimator).parameters) <= most
