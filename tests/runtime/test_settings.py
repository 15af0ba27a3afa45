import pickle

import pytest
from sklearn.base import clone

import baytree as bt


def test_settings_survive_clone_and_pickle():
    engine = bt.IJGP(i_bound=3)
    for copied in (clone(engine), pickle.loads(pickle.dumps(engine))):
        assert copied == engine
        assert copied is not engine


def test_settings_are_equal_by_their_values():
    assert bt.IJGP(3) == bt.IJGP(i_bound=3)
    assert bt.IJGP(3) != bt.IJGP(4)


def test_settings_are_changed_by_name():
    engine = bt.IJGP()
    assert engine.set_params(i_bound=2, max_sweeps=7) is engine
    assert engine.get_params() == {"i_bound": 2, "max_sweeps": 7}
    assert repr(engine) == "IJGP(i_bound=2, max_sweeps=7)"


def test_an_unknown_setting_is_named_and_nothing_is_changed():
    engine = bt.IJGP()
    with pytest.raises(ValueError, match=r"IJGP has no parameter 'bound' .* mean 'i_bound'"):
        engine.set_params(max_sweeps=7, bound=2)
    assert engine == bt.IJGP()
