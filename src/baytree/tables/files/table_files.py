"""Tables in files; the suffix of the name gives the format."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from baytree.exceptions import FileFormatError, TableError
from baytree.tables.containers.pandas_tables import PandasView
from baytree.tables.files.csv_tables import KnownStates, open_csv
from baytree.tables.files.dat_tables import open_dat
from baytree.vocabulary import DEFAULT_MISSING_VALUES, TABLE_SUFFIXES


def open_file(
    path: str | os.PathLike[str],
    missing_words: Collection[str] = DEFAULT_MISSING_VALUES,
    known_states: KnownStates | None = None,
    *,
    keeps_texts: bool = False,
) -> PandasView:
    """Return the table in a file, as a pandas frame.

    The name ends in .csv, .tsv or .dat (also with .gz behind it), or in .parquet. Words that mean
    missing, states that cells may spell, and texts to keep, too, are those of CSV and TSV files.

    Raises
    ------
    TableError
        If the name of the file ends otherwise.
    FileFormatError
        If the file is broken.
    ImportError
        If the file needs pyarrow, which is not installed.
    """
    path = Path(path)
    ending = Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    match ending.lower():
        case ".csv" | ".tsv":
            return open_csv(
                path,
                delimiter=None if ending.lower() == ".csv" else "\t",
                missing_words=missing_words,
                known_states=known_states,
                keeps_texts=keeps_texts,
            )
        case ".dat":
            return open_dat(path)
        case ".parquet" if path.suffix.lower() != ".gz":
            return _open_parquet(path)
    known = ", ".join(TABLE_SUFFIXES)
    raise TableError(f"{path}: the name of a table must end in one of {known}.")


def _open_parquet(path: Path) -> PandasView:
    """Return a Parquet file; integers with missing cells are nullable, as floats lose digits."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow. Install it with: pip install 'baytree[parquet]'"
        ) from None
    try:
        table = pyarrow.parquet.read_table(path)
        incomplete = {column.type for column in table.columns if column.null_count}
        integers = filter(pyarrow.types.is_integer, incomplete)
        frame: pd.DataFrame = table.to_pandas(types_mapper=dict(map(_nullable, integers)).get)
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: this is not a sound Parquet file ({error}).") from None
    return PandasView(frame)


def _nullable(integer_type: Any) -> tuple[Any, Any]:
    """Return an integer type of pyarrow and the nullable dtype of pandas for it."""
    name = str(integer_type)  # such as uint8
    return integer_type, pd.api.types.pandas_dtype(name.replace("u", "U").replace("i", "I"))
