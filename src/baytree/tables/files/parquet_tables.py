"""Parquet files as pandas frames, read by pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from baytree.exceptions import FileFormatError
from baytree.tables.containers.pandas_tables import PandasView


def open_parquet(path: Path) -> PandasView:
    """Return the table in a Parquet file.

    Parameters
    ----------
    path : Path
        File to read.

    Returns
    -------
    PandasView
        The table as pandas stores it: dictionary columns are categorical, and integers with
        missing cells are nullable, as floats would cut their digits.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    FileFormatError
        If the file is broken.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "rain.parquet"
    >>> pd.DataFrame({"rain": ["yes", None]}).to_parquet(path)
    >>> open_parquet(path).native
      rain
    0  yes
    1  NaN
    >>> folder.cleanup()
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow. Install it with: pip install baytree[parquet]"
        ) from None
    try:
        table = pyarrow.parquet.read_table(path)
        with_gaps = {column.type for column in table.columns if column.null_count}
        integers = filter(pyarrow.types.is_integer, with_gaps)
        frame: pd.DataFrame = table.to_pandas(types_mapper=dict(map(_nullable, integers)).get)
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: this is not a sound Parquet file ({error}).") from None
    return PandasView(frame)


def _nullable(integer_type: Any) -> tuple[Any, Any]:
    """Return a type of pyarrow and the dtype of pandas that holds its numbers also missing ones."""
    name = str(integer_type)  # such as uint8
    return integer_type, pd.api.types.pandas_dtype(name.replace("u", "U").replace("i", "I"))
