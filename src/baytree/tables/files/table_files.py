"""Tables in files of any format, told apart by the ends of their names."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from baytree.exceptions import TableError
from baytree.tables.files.csv_tables import read_csv
from baytree.tables.files.dat_tables import read_dat
from baytree.tables.files.parquet_tables import read_parquet
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES

_ENDINGS = ".csv, .csv.gz, .tsv, .tsv.gz, .dat, .dat.gz, .parquet"


def read_table(
    path: str | os.PathLike[str],
    *,
    missing_values: Collection[str] = DEFAULT_MISSING_VALUES,
    known_states: Mapping[Hashable, Sequence[Hashable]] | None = None,
) -> pd.DataFrame:
    r"""Return the table in a file.

    Parameters
    ----------
    path : str or path
        File whose name ends in .csv, .tsv or .dat (also with .gz behind it), or in .parquet.
    missing_values : collection of str
        Words that mean missing in CSV and TSV files, beside the empty cell.
    known_states : mapping of variable to sequence of states, optional
        States that cells of CSV and TSV files may spell.

    Returns
    -------
    DataFrame
        The table.

    Raises
    ------
    TableError
        If the name of the file ends otherwise.
    FileFormatError
        If the file is broken.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "rain.tsv"
    >>> _ = path.write_text("rain\twet\nyes\t1\n")
    >>> read_table(path)
      rain  wet
    0  yes    1
    >>> folder.cleanup()
    """
    path = Path(path)
    ending = Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    match ending.lower():
        case ".csv" | ".tsv":
            return read_csv(
                path,
                delimiter=None if ending.lower() == ".csv" else "\t",
                missing_values=missing_values,
                known_states=known_states,
            )
        case ".dat":
            return read_dat(path)
        case ".parquet" if path.suffix.lower() != ".gz":
            return read_parquet(path)
    raise TableError(f"{path}: the name of a table must end in one of {_ENDINGS}.")
