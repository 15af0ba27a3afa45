"""Parquet files as pandas frames, read by pyarrow."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from baytree.exceptions import FileFormatError


def read_parquet(path: Path) -> pd.DataFrame:
    """Return the table in a Parquet file.

    Parameters
    ----------
    path : Path
        File to read.

    Returns
    -------
    DataFrame
        The table as pandas stores it; dictionary columns are categorical.

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
    >>> read_parquet(path)
      rain
    0  yes
    1  NaN
    >>> folder.cleanup()
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow. Install it with: pip install baytree[parquet]"
        ) from None
    try:
        return pd.read_parquet(path, engine="pyarrow")
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: this is not a sound Parquet file ({error}).") from None
