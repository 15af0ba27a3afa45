"""What the terminal says, and the same figures for programs."""

from __future__ import annotations

import dataclasses
from typing import Any

from baytree.digits_demo.charts import share_of_near_arcs
from baytree.digits_demo.digits import HIDDEN_SHARE, PIXELS, SHADES
from baytree.digits_demo.findings import Findings
from baytree.digits_demo.learned import MAX_TREEWIDTH, N_NETWORKS


def report_lines(findings: Findings) -> list[str]:
    """Return all that was found in some ten lines."""
    digits, network = findings.digits, findings.main_network
    scores = network.scores
    return [
        f"{len(digits.truth):,} handwritten digits, {len(PIXELS)} pixels, {len(SHADES)} shades; "
        f"hidden: {HIDDEN_SHARE:.0%} of the pixels and a quarter of "
        f"{int(digits.lost_a_quarter.sum()):,} images, together {int(digits.is_hidden.sum()):,}",
        f"{'pixels restored':24}{'all':>8}{'scattered':>12}{'quarters':>11}",
        *(
            f"  {name:22}{one.overall:8.1%}{one.scattered:12.1%}{one.quarters:11.1%}"
            for name, one in findings.accuracies.items()
        ),
        f"certainty: {findings.sure_share:.0%} of them were filled with 90% certainty or more; "
        f"of these {findings.sure_accuracy:.1%} are right",
        f"network: {len(network.network.arcs)} arcs, {share_of_near_arcs(network.network):.0%} "
        f"between pixels that touch, treewidth {network.network.treewidth}; score {scores[0]:,.0f} "
        f"for a tree, {scores.max():,.0f} after {network.seconds:.1f} s of structural EM",
        f"price of all marginals: {network.cost}; measured: "
        f"{1000 * network.question_seconds:.1f} ms",
        f"question: {question_in_words(findings)}",
        f"time: {sum(findings.seconds.values()):.0f} s before drawing: "
        + ", ".join(f"{name} {seconds:.0f}" for name, seconds in findings.seconds.items()),
    ]


def question_in_words(findings: Findings) -> str:
    """Return the exact question and its answer."""
    answer = findings.answer
    shade = str(answer.after.idxmax())
    given = sorted(set(answer.evidence.values()))
    return (
        f"{answer.target} is {shade} with {answer.before[shade]:.1%}; given that "
        f"{', '.join(answer.evidence)} are {' or '.join(given)}, with {answer.after[shade]:.1%}, "
        f"exactly, in {1000 * answer.seconds:.1f} ms"
    )


def report_figures(findings: Findings) -> dict[str, Any]:
    """Return all figures, in types that JSON has."""
    digits, answer = findings.digits, findings.answer
    return {
        "n_images": len(digits.truth),
        "n_hidden": int(digits.is_hidden.sum()),
        "n_lost_quarters": int(digits.lost_a_quarter.sum()),
        "seed": findings.seed,
        "accuracy": {name: dataclasses.asdict(one) for name, one in findings.accuracies.items()},
        "certainty": [dataclasses.asdict(band) for band in findings.bands],
        "max_treewidth": MAX_TREEWIDTH,
        "n_networks": N_NETWORKS,
        "settings": findings.settings,
        "networks": [_network_figures(findings, each.max_treewidth) for each in findings.networks],
        "question": {
            "target": answer.target,
            "evidence": answer.evidence,
            "before": answer.before.to_dict(),
            "after": answer.after.to_dict(),
            "seconds": answer.seconds,
        },
        "seconds": findings.seconds,
    }


def _network_figures(findings: Findings, width: int) -> dict[str, Any]:
    learned = next(each for each in findings.networks if each.max_treewidth == width)
    return {
        "max_treewidth": width,
        "treewidth": learned.network.treewidth,
        "n_arcs": len(learned.network.arcs),
        "accuracy": dataclasses.asdict(learned.accuracy),
        "scores": learned.scores.tolist(),
        "score_seconds": learned.em_history["seconds"].tolist(),
        "cost": dataclasses.asdict(learned.cost),
        "question_seconds": learned.question_seconds,
    }
