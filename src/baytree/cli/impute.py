"""`baytree impute`: a table with its missing cells filled, into a file."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import baytree as bt
from baytree._atomic_files import replaced_file
from baytree.cli.options import (
    SCORES,
    SEARCHES,
    add_common_options,
    add_table_options,
    positive_number,
    whole_number,
)
from baytree.cli.outputs import checked_output
from baytree.cli.startup import leaving_at_ctrl_c
from baytree.formats.network_endings import check_imputer_ending

if TYPE_CHECKING:
    from baytree import BayesianNetworkImputer

CHUNK_ROWS = 10_000
# Settings that a saved imputer brings with it. The options are None where they were not given.
LEARNING_DEFAULTS: dict[str, Any] = {
    "missing_value": None,
    "continuous": "bin",
    "treewidth": 6,
    "method": "independent",
    "networks": 1,
    "tune": False,
    "search": "hill-climb",
    "score": "bic",
    "time": None,
}
ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")

_EXAMPLES = """\
examples:
  baytree impute holes.csv -o filled.csv
  baytree impute holes.csv -o filled.csv --samples 5 --probabilities cells.csv --report
  baytree impute holes.parquet -o filled.parquet --networks 10 --jobs -1 --save imputer.json
  baytree impute new.csv -o new_filled.csv --imputer imputer.json
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of this command."""
    parser = commands.add_parser(
        "impute",
        help="fill the missing cells of a table",
        description="Fill the missing cells of a table with what a network of its variables says\n"
        "about them. The network is learned from the whole table; then the table is read again\n"
        "and filled in chunks. Observed cells stay as they are written.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_table_options(parser)
    _add_output_options(parser)
    _add_learning_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run, misuse=parser.error, continuous=None)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help="table to write; its name ends as that of the table to read: .csv, .tsv (also .gz) "
        "or .parquet",
    )
    parser.add_argument(
        "--probabilities",
        type=Path,
        metavar="FILE",
        help="write the distribution of every missing cell as CSV: row, variable, state, "
        "probability",
    )
    parser.add_argument(
        "--samples",
        type=whole_number(1),
        metavar="N",
        help="draw so many tables besides, into FILE.1.csv, FILE.2.csv, ...",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="hide 5 %% of the observed cells, fill them, and print how many are right",
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the imputer, as .json")


def _add_learning_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--imputer",
        type=Path,
        metavar="FILE",
        help="fill with an imputer that --save wrote; nothing is learned",
    )
    parser.add_argument(
        "--treewidth",
        type=whole_number(1),
        metavar="K",
        help="largest treewidth (default: 6)",
    )
    parser.add_argument(
        "--method",
        choices=("independent", "joint"),
        metavar="NAME",
        help="independent (default): the best state of each cell; joint: of all cells of a row",
    )
    parser.add_argument(
        "--networks",
        type=whole_number(1),
        metavar="N",
        help="networks whose posteriors are averaged (default: 1)",
    )
    parser.add_argument(
        "--tune",
        action="store_true",
        default=None,
        help="choose the score and the prior by observed cells; slower",
    )
    parser.add_argument(
        "--search", choices=SEARCHES, metavar="NAME", help="as for learn (default: hill-climb)"
    )
    parser.add_argument(
        "--score", choices=SCORES, metavar="NAME", help="as for learn (default: bic)"
    )
    parser.add_argument(
        "--time", type=positive_number, metavar="SECONDS", help="time limit for learning"
    )
    parser.add_argument(
        "--unknown",
        choices=("error", "missing"),
        default="error",
        metavar="POLICY",
        help="with states that the imputer does not know: error (default) or missing",
    )


def run(options: argparse.Namespace) -> bool:
    """Learn, fill, write and summarise; return whether it ran to its end."""
    _refuse_idle_options(options)
    source = Path(options.table)
    ending = _ending(source)
    outputs = _checked_outputs(options, source, ending)
    with leaving_at_ctrl_c():
        imputer_class = bt.BayesianNetworkImputer  # loads pandas and more
    started = time.monotonic()
    imputer = _imputer(imputer_class, options)
    report = imputer.report(source if options.imputer else None) if options.report else None
    if options.save is not None:
        imputer.save(options.save)
    n_rows, n_missing = _fill(imputer, source, outputs, options)
    summary = {
        "n_rows": n_rows,
        "n_missing": n_missing,
        "seconds": round(time.monotonic() - started, 3),
        "interrupted": imputer.interrupted_,
        "output": str(options.output),
    }
    if report is not None:
        summary |= {"accuracy": report.accuracy, "mode_accuracy": report.mode_accuracy}
    _print_summary(summary, report, options)
    return not imputer.interrupted_


def _refuse_idle_options(options: argparse.Namespace) -> None:
    """End with the usage if a saved imputer was given, and how to learn another."""
    if options.imputer is None:
        return
    for name in LEARNING_DEFAULTS:
        if getattr(options, name) is not None:
            word = f"--{name.replace('_', '-')}"
            options.misuse(f"argument {word}: not with --imputer, which brings its own setting")


def _imputer(
    imputer_class: type[BayesianNetworkImputer], options: argparse.Namespace
) -> BayesianNetworkImputer:
    if options.imputer is None:
        return _learned_imputer(imputer_class, options)
    imputer = imputer_class.load(options.imputer)
    imputer.set_params(unknown=options.unknown, n_jobs=options.jobs)
    if options.seed is not None:
        imputer.set_params(random_state=options.seed)
    return imputer


def _learned_imputer(
    imputer_class: type[BayesianNetworkImputer], options: argparse.Namespace
) -> BayesianNetworkImputer:
    given = {name: getattr(options, name) for name in LEARNING_DEFAULTS}
    known = LEARNING_DEFAULTS | {name: one for name, one in given.items() if one is not None}
    words = known["missing_value"] or []
    if len(words) > 1:
        options.misuse("argument --missing-value: one word at most can be added to the usual ones")
    return imputer_class(
        known["treewidth"],
        method=known["method"],
        search=known["search"],
        score=known["score"],
        time_limit=known["time"],
        n_networks=known["networks"],
        tune=known["tune"],
        missing_values=words[0] if words else None,
        unknown=options.unknown,
        continuous=known["continuous"],
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=0 if options.quiet else 1,
    ).fit(options.table)


def _ending(path: Path) -> str:
    ending = next((e for e in reversed(ENDINGS) if path.name.lower().endswith(e)), None)
    if ending is None:
        raise ValueError(f"{path}: the name of a table to fill must end in {', '.join(ENDINGS)}.")
    return ending


def _checked_outputs(options: argparse.Namespace, source: Path, ending: str) -> list[Path]:
    """Return the files of the filled table and of the samples, all of which can be written."""
    output: Path = options.output
    kinds = {e.removesuffix(".gz") for e in (ending, _ending(output))}
    if len(kinds) > 1:
        raise ValueError(f"{output} must end as the table does, in {ending}.")
    own = _ending(output)
    base = output.name[: -len(own)]
    samples = [output.with_name(f"{base}.{i + 1}{own}") for i in range(options.samples or 0)]
    extra = [path for path in (options.probabilities, options.save) if path is not None]
    for path in (output, *samples, *extra):
        checked_output(path, source)
        checked_output(path, options.imputer)
    _refuse_equal_files([output, *samples, *extra])
    if options.save is not None:
        check_imputer_ending(options.save)
    return [output, *samples]


def _refuse_equal_files(outputs: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in outputs:
        if path.resolve() in seen:
            raise ValueError(f"{path} would be written twice. Give each output a name of its own.")
        seen.add(path.resolve())


def _fill(
    imputer: BayesianNetworkImputer,
    source: Path,
    outputs: list[Path],
    options: argparse.Namespace,
) -> tuple[int, int]:
    """Write all tables, chunk by chunk; return the numbers of rows and of missing cells."""
    imputer.set_params(add_indicator=False, keep_empty_features=True)  # the columns of the table
    stream = _stream(imputer, source)
    n_rows = n_missing = 0
    with contextlib.ExitStack() as files:
        writers = [files.enter_context(stream.writer(path)) for path in outputs]
        cells = files.enter_context(_cell_writer(options.probabilities))
        for number, chunk in enumerate(stream.chunks(CHUNK_ROWS)):
            tables = [imputer.transform(chunk.table)]
            if options.samples:
                seed = _chunk_seed(imputer.random_state, number)
                tables += imputer.sample(chunk.table, options.samples, random_state=seed)
            for writer, table in zip(writers, tables, strict=True):
                chunk.write(writer, table)
            if cells is not None:
                found = imputer.cell_probabilities(chunk.table)
                cells.writerows(found.assign(row=found["row"] + n_rows).itertuples(index=False))
            n_rows, n_missing = n_rows + len(tables[0]), n_missing + chunk.n_missing
    return n_rows, n_missing


def _chunk_seed(seed: Any, number: int) -> Any:
    """Return the seed of a chunk: another for each, as equal draws would repeat the samples.

    The first has that of the imputer: a table of one chunk is drawn as by `sample` in Python.
    """
    return seed if seed is None or number == 0 else (seed + number) % 2**32


def _stream(imputer: BayesianNetworkImputer, source: Path) -> Any:
    # They load pandas, which help must not wait for.
    from baytree.formats.csv_streams import CsvStream
    from baytree.formats.parquet_streams import ParquetStream

    if source.suffix.lower() == ".parquet":
        return ParquetStream(source, imputer._encoding.variables, imputer.missing_values)
    return CsvStream(source, imputer._encoding.variable_encodings, imputer._missing_words())


@contextlib.contextmanager
def _cell_writer(path: Path | None) -> Iterator[Any]:
    if path is None:
        yield None
        return
    with replaced_file(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row", "variable", "state", "probability"])
        yield writer
        text.flush()
        text.detach()


def _print_summary(summary: dict[str, Any], report: Any, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(summary))
        return
    if report is not None:
        print(report, end="\n\n")
    if not options.quiet:
        print(
            f"{summary['n_missing']:,} missing cells of {summary['n_rows']:,} rows filled in "
            f"{summary['seconds']:.1f} s\nwritten to {options.output}"
        )
