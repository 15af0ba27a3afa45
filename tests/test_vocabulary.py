from typing import get_args

import pytest

from baytree import vocabulary
from baytree.classification.classifier import ClassStructureName, TrainingName
from baytree.learning.chordalysis import EdgeRule
from baytree.learning.em_settings import EmInit
from baytree.learning.presets import PresetName
from baytree.learning.scoring import CriterionName, MissingPolicy
from baytree.learning.search_problem import CacheSearchName, SearchName
from baytree.networks.files import network_files
from baytree.networks.rows import CompletionName
from baytree.tables.variable_encoding import BinChoice, UnknownPolicy


@pytest.mark.parametrize(
    ("words", "type_of_words"),
    [
        (vocabulary.CRITERIA, CriterionName),
        (vocabulary.CACHE_SEARCHES, CacheSearchName),
        (vocabulary.SEARCHES, SearchName),
        (vocabulary.EDGE_RULES, EdgeRule),
        (vocabulary.COMPLETIONS, CompletionName),
        (vocabulary.EM_INITS, EmInit),
        (vocabulary.PRESETS, PresetName),
        (vocabulary.CLASS_STRUCTURES, ClassStructureName),
        (vocabulary.TRAININGS, TrainingName),
        (vocabulary.MISSING_POLICIES, MissingPolicy),
        (vocabulary.BIN_CHOICES, BinChoice),
        (vocabulary.UNKNOWN_POLICIES, UnknownPolicy),
    ],
)
def test_words_are_those_that_type_checkers_accept(words, type_of_words):
    assert words == get_args(type_of_words)


def test_each_suffix_of_networks_has_a_reader_and_a_writer():
    readers = {*network_files._TEXT_READERS, *network_files._XML_READERS}
    assert readers == {*network_files._WRITERS} == {*vocabulary.NETWORK_SUFFIXES}
