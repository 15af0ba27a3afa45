"""Tables in files of any format, told apart by the ends of their names."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from baytree.exceptions import TableError
from baytree.tables.containers.pandas_tables import PandasView
from baytree.tables.files.csv_tables import KnownStates, open_csv
from baytree.tables.files.dat_tables import open_dat
from baytree.tables.files.parquet_tables import open_parquet
from baytree.vocabulary import DEFAULT_MISSING_VALUES

_ENDINGS = ".csv, .csv.gz, .tsv, .tsv.gz, .dat, .dat.gz, .parquet"


def open_file(
    path: str | os.PathLike[str],
    missing_words: Collection[str] = DEFAULT_MISSING_VALUES,
    known_states: KnownStates | None = None,
) -> PandasView:
    r"""Return the table in a file.

    Parameters
    ----------
    path : str or path
        File whose name ends in .csv, .tsv or .dat (also with .gz behind it), or in .parquet.
    missing_words : collection of str
        Words that mean missing in CSV and TSV files, beside the empty cell.
    known_states : mapping of variable to sequence of states or None, optional
        States that cells of CSV and TSV files may spell; None for a numeric variable.

    Returns
    -------
    PandasView
        The table, as a pandas frame.

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
    >>> open_file(path).native
      rain  wet
    0  yes    1
    >>> folder.cleanup()
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
            )
        case ".dat":
            return open_dat(path)
        case ".parquet" if path.suffix.lower() != ".gz":
            return open_parquet(path)
    raise TableError(f"{path}: the name of a table must end in one of {_ENDINGS}.")
