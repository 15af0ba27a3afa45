"""Imputers that are saved to files and loaded from them."""

from __future__ import annotations

import os
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from baytree.exceptions import FileFormatError
from baytree.imputation.base import ImputerBase
from baytree.imputation.files import ImputerParts, read_imputer, write_imputer
from baytree.imputation.learned_networks import LearnedNetworks
from baytree.learning.incomplete_rows import empty_history


class StoredImputer(ImputerBase):
    """Methods of `BayesianNetworkImputer` that write and read files."""

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted imputer as one JSON file, in place of a file of that name.

        It holds no rows of the table that was fitted. Regressions hold sums over rows, from which
        rows can be found out where they are few.

        Parameters
        ----------
        path : str or path
            File to write, whose name ends in .json; compressed if .gz or .xz comes behind.

        Raises
        ------
        ValueError
            If the name ends otherwise, or a state is no text, number or truth value, such as
            dates; nothing is written then.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> from baytree import BayesianNetworkImputer
        >>> imputer = BayesianNetworkImputer(random_state=0).fit(np.array([[0, 1], [1, 0]] * 9))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     imputer.write(pathlib.Path(folder) / "imputer.json")
        ...     loaded = BayesianNetworkImputer.read(pathlib.Path(folder) / "imputer.json")
        >>> loaded.transform(np.array([[0, np.nan]]))
        array([[0., 1.]])
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        parts = ImputerParts(
            settings=self.get_params(),
            chosen=self.chosen_,
            encoding=self._encoding,
            networks=self.networks_,
            regressions=self._regressions,
            learned=self._learned.tolist(),
            with_gaps=self._with_gaps.tolist(),
            has_names=names is not None,
        )
        write_imputer(path, parts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Return the imputer in a file that `write` wrote; no code of the file is run.

        Parameters
        ----------
        path : str or path
            File to read.

        Returns
        -------
        BayesianNetworkImputer
            It transforms as the one that was written.

        Raises
        ------
        FileFormatError
            If the file is broken, of a newer version, or no imputer.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetworkImputer.read("imputer.pickle")
        Traceback (most recent call last):
        ...
        ValueError: imputer.pickle: the name of ... must end in .json, ...
        """
        parts = read_imputer(path, list(cls().get_params()))
        imputer = cls(**parts.settings)
        try:
            imputer._check_settings()
        except ValueError as error:
            raise FileFormatError(f"{path}: a setting cannot be used: {error}") from None
        imputer._encoding = parts.encoding
        imputer.chosen_ = parts.chosen
        imputer._learned = np.array(parts.learned, dtype=np.intp)
        imputer._with_gaps = np.array(parts.with_gaps, dtype=np.intp)
        imputer.n_features_in_ = len(parts.encoding.variables)
        if parts.has_names:
            imputer.feature_names_in_ = np.array(parts.encoding.variables, dtype=object)
        imputer._take(
            LearnedNetworks(
                tuple(parts.networks),
                empty_history(),
                is_interrupted=False,
                regressions=parts.regressions,
            )
        )
        return imputer
