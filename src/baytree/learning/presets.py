"""Presets: the settings of published systems, by name."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from baytree.learning.em_settings import StructuralEM
from baytree.messages.arguments import one_of
from baytree.vocabulary import PRESETS

PresetName: TypeAlias = Literal["sem-kmax", "sem-tree"]


def preset_settings(name: PresetName) -> dict[str, Any]:
    """Return the settings of a learner that make it a published system.

    Both are of [k-max]: hard EM from a random chain, until the structure stays the same.
    """
    one_of("name", name, PRESETS)
    em = StructuralEM(em_init="chain", max_structure_updates=None, max_em_iterations=0)
    if name == "sem-tree":
        return {"max_treewidth": 1, "search": "chow-liu", "em": em}
    return {"max_treewidth": 6, "search": "k-max", "em": em.set_params(effort=1.0)}
