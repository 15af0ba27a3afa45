"""Comparison of tables of all containers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


def assert_same_table(actual, expected):
    assert type(actual) is type(expected)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(actual, expected)
    elif isinstance(expected, pl.DataFrame):
        assert actual.schema == expected.schema
        assert actual.to_dict(as_series=False) == expected.to_dict(as_series=False)
    elif isinstance(expected, pa.Table):
        assert actual.schema == expected.schema
        assert actual.to_pylist() == expected.to_pylist()
    else:
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)
