"""Imputers that went through a file and came back."""

import pickle

import baytree as bt

WAYS = ("json", "pickle")


def stored_and_loaded(imputer, folder, way):
    if way == "pickle":
        return pickle.loads(pickle.dumps(imputer))
    imputer.write(folder / "imputer.json")
    return bt.BayesianNetworkImputer.read(folder / "imputer.json")
