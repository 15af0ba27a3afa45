"""Tables that commands write: to a file by its suffix, or to stdout."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from baytree.cli.options import any_of
from baytree.cli.results import print_json
from baytree.messages.quoting import pluralize
from baytree.vocabulary import WRITTEN_TABLE_SUFFIXES

if TYPE_CHECKING:
    import pandas as pd

_SUFFIXES = (*WRITTEN_TABLE_SUFFIXES, ".csv.xz", ".tsv.xz")

TABLE_FORMATS = any_of(_SUFFIXES)


def check_table_suffix(path: Path) -> None:
    """Raise if the name of a table does not end in one of the suffixes."""
    if not path.name.lower().endswith(_SUFFIXES):
        raise ValueError(f"{path}: the name of a table must end in {TABLE_FORMATS}.")


def show_table(rows: pd.DataFrame, options: argparse.Namespace) -> None:
    """Write rows to the output of a command and summarise them; to stdout if there is none."""
    if options.output is None:
        _print_rows(rows, options)
    else:
        write_table(rows, options.output)
        _print_summary(rows, options)


def write_table(rows: pd.DataFrame, path: Path) -> None:
    """Write rows to a file, in place of a file of that name."""
    from baytree.runtime.atomic_files import replaced_file  # help must not wait for it

    separator = "\t" if ".tsv" in [suffix.lower() for suffix in path.suffixes] else ","
    with replaced_file(path) as file:
        if path.suffix.lower() == ".parquet":
            rows.to_parquet(file, index=False)
        else:
            rows.to_csv(file, index=False, sep=separator)


def _print_rows(rows: pd.DataFrame, options: argparse.Namespace) -> None:
    if options.json:
        records = rows.astype(object).to_dict("records")
        print_json([{str(name): state for name, state in row.items()} for row in records])
    else:
        rows.to_csv(sys.stdout, index=False)


def _print_summary(rows: pd.DataFrame, options: argparse.Namespace) -> None:
    n_rows, n_variables = rows.shape
    if options.json:
        print_json({"n_rows": n_rows, "n_variables": n_variables, "output": str(options.output)})
    elif not options.quiet:
        sizes = f"{pluralize(n_rows, 'row')} of {pluralize(n_variables, 'variable')}"
        print(f"{sizes}\nwritten to {options.output}")
