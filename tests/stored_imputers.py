"""Imputers that went through a file and came back."""

import json
import pickle

import baytree as bt

WAYS = ("json", "pickle")


def stored_and_loaded(imputer, folder, way):
    if way == "pickle":
        return pickle.loads(pickle.dumps(imputer))
    imputer.write(folder / "imputer.json")
    return bt.BayesianNetworkImputer.read(folder / "imputer.json")


def changed_file(imputer, folder, change):
    """Write an imputer whose contents a function has changed, and return the path."""
    path = folder / "imputer.json"
    imputer.write(path)
    contents = json.loads(path.read_text())
    change(contents)
    path.write_text(json.dumps(contents))
    return path
