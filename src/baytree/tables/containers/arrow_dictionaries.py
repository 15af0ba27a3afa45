"""Dictionary columns of pyarrow, bare or inside pandas: the dictionary declares the states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from baytree.tables.columns import Cells, Mask, StateCodes, coded_cells, object_array, object_cells


def pyarrow_module() -> Any:
    """Return pyarrow, which is installed if there is a table of it."""
    return nw.Implementation.PYARROW.to_native_namespace()


def dictionary_cells(name: Hashable, column: Any) -> Cells:
    """Return the cells of a chunked dictionary column."""
    encoded = _unified(column)
    labels = encoded.dictionary.to_pylist()
    if None in labels or len(set(labels)) < len(labels):
        return object_cells(name, object_array(encoded.to_pylist()))
    return coded_cells(_codes(encoded), labels)


def dictionary_column(codes: StateCodes, labels: Sequence[Any], dtype: Any) -> Any:
    """Return a dictionary array of the labels, null where the code is -1."""
    pa = pyarrow_module()
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, mask=codes < 0).cast(dtype.index_type),
        pa.array(labels, type=dtype.value_type),
        ordered=dtype.ordered,
    )


def filled_dictionary(column: Any, where: Mask, codes: StateCodes, labels: Sequence[Any]) -> Any:
    """Return a filled dictionary column; labels that its dictionary lacks are added to it."""
    encoded = _unified(column)
    dictionary = encoded.dictionary.to_pylist()
    dictionary += [label for label in labels if label not in dictionary]
    positions = np.array([dictionary.index(label) for label in labels], dtype=np.int32)
    filled = _codes(encoded)
    filled[where] = positions[codes[where]]
    return dictionary_column(filled, dictionary, column.type)


def _unified(column: Any) -> Any:
    """Return the chunks as one array with one dictionary."""
    encoded = column.unify_dictionaries().combine_chunks()
    return encoded.chunk(0) if hasattr(encoded, "num_chunks") else encoded


def _codes(encoded: Any) -> StateCodes:
    indices = encoded.indices.cast(pyarrow_module().int32()).fill_null(-1)
    return np.array(indices.to_numpy(zero_copy_only=False), dtype=np.int32)
