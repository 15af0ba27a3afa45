"""What the terminal says, and the same figures for programs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from baytree.digits_demo.charts import share_of_near_arcs
from baytree.digits_demo.digits import HIDDEN_SHARE, PIXELS, SHADES
from baytree.digits_demo.findings import Findings
from baytree.digits_demo.learned import MAX_TREEWIDTH, N_NETWORKS, LearnedNetwork
from baytree.digits_demo.question import Answer
from baytree.networks.query_results import bytes_in_words


def report_lines(findings: Findings, page: Path) -> list[str]:
    """Return all that was found, and where it is shown, in about a dozen lines."""
    digits, network, cost = findings.digits, findings.main_network, findings.main_network.cost
    scores = network.scores
    total = sum(findings.seconds.values())
    longest = max(findings.seconds, key=lambda stage: findings.seconds[stage])
    return [
        f"{len(digits.truth):,} handwritten digits of {len(PIXELS)} pixels in {len(SHADES)} shades",
        f"hidden:    {HIDDEN_SHARE:.0%} of the pixels and a quarter of "
        f"{int(digits.lost_a_quarter.sum()):,} images, together {int(digits.is_hidden.sum()):,}",
        f"restored:  {'all':>22}{'scattered':>12}{'quarters':>11}",
        *(
            f"  {name:22}{one.overall:9.1%}{one.scattered:12.1%}{one.quarters:11.1%}"
            for name, one in findings.accuracies.items()
        ),
        f"certainty: {findings.sure_accuracy:.1%} are right where it was at least 90% sure, "
        f"{findings.sure_share:.0%} of them",
        f"network:   {len(network.network.arcs)} arcs, {share_of_near_arcs(network.network):.0%} "
        f"between pixels that touch, treewidth {network.network.treewidth}",
        f"score:     {scores[0]:,.0f} for a tree, {scores.max():,.0f} after "
        f"{network.seconds:.1f} s of structural EM",
        f"price:     {cost.table_entries:,.0f} table entries, {bytes_in_words(cost.n_bytes)}, "
        f"known before; all posteriors in {1000 * network.question_seconds:.1f} ms",
        f"question:  {question_in_words(findings.answer)}",
        f"time:      {total:.0f} s before drawing; the longest: {longest}, "
        f"{findings.seconds[longest]:.0f} s",
        f"page:      {page}",
    ]


def question_in_words(answer: Answer) -> str:
    """Return the exact question and its answer."""
    shade = str(answer.after.idxmax())
    seen = " and ".join(sorted(set(answer.evidence.values())))
    return (
        f"{answer.target} is {shade} with {answer.before[shade]:.1%}; given "
        f"{', '.join(answer.evidence)} {seen}: {answer.after[shade]:.1%}, exactly, in "
        f"{1000 * answer.seconds:.1f} ms"
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
        "networks": [_network_figures(each) for each in findings.networks],
        "question": {
            "target": answer.target,
            "evidence": answer.evidence,
            "before": answer.before.to_dict(),
            "after": answer.after.to_dict(),
            "seconds": answer.seconds,
        },
        "seconds": findings.seconds,
    }


def _network_figures(learned: LearnedNetwork) -> dict[str, Any]:
    return {
        "max_treewidth": learned.max_treewidth,
        "treewidth": learned.network.treewidth,
        "n_arcs": len(learned.network.arcs),
        "accuracy": dataclasses.asdict(learned.accuracy),
        "scores": learned.scores.tolist(),
        "score_seconds": learned.em_history["seconds"].tolist(),
        "cost": dataclasses.asdict(learned.cost),
        "question_seconds": learned.question_seconds,
    }
