"""Other classifiers with one interface: pipelines that take frames of text and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

N_BINS = 5
MAX_CATEGORIES = 255  # of HistGradientBoostingClassifier

_NUMBERS = make_column_selector(dtype_include=np.number)
_TEXTS = make_column_selector(dtype_exclude=np.number)


def logistic_regression(*, number_strategy: str = "most_frequent") -> Any:
    """One-hot states and standardised numbers; missing states by the most frequent one."""
    numbers = make_pipeline(SimpleImputer(strategy=number_strategy), StandardScaler())
    texts = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    columns = make_column_transformer((numbers, _NUMBERS), (texts, _TEXTS))
    return make_pipeline(columns, LogisticRegression(max_iter=2000))


def boosted_trees(table: pd.DataFrame, trees: Callable[..., Any], **options: object) -> Any:
    """Boosted trees on the categories and numbers of `table`; missing cells as they are."""
    texts = _TEXTS(table)
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        max_categories=MAX_CATEGORIES,
    )
    columns = make_column_transformer((encoder, texts), remainder="passthrough")
    model = trees(random_state=0, categorical_features=range(len(texts)), **options)
    return make_pipeline(columns, model)


class Boosting(ClassifierMixin, BaseEstimator):
    """Boosted trees as a classifier."""

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        early_stopping = "auto" if _has_two_rows_per_class(y) else False
        trees = HistGradientBoostingClassifier
        self._pipeline = boosted_trees(X, trees, early_stopping=early_stopping).fit(X, y)
        self.classes_ = self._pipeline.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self._pipeline.predict_proba(X)

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self._pipeline.predict(X)


def _has_two_rows_per_class(y: Any) -> bool:
    """Return whether rows can be held out for early stopping, which is stratified by class."""
    return bool(np.unique(y, return_counts=True)[1].min() > 1)


def _codes() -> Any:
    """Codes of states and of bins; missing and unseen ones by the most frequent."""
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan
    )
    bins = KBinsDiscretizer(N_BINS, encode="ordinal", quantile_method="averaged_inverted_cdf")
    numbers = make_pipeline(SimpleImputer(strategy="most_frequent"), bins)
    texts = make_pipeline(encoder, SimpleImputer(strategy="most_frequent"))
    return make_column_transformer((numbers, _NUMBERS), (texts, _TEXTS))


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """scikit-learn's naive Bayes on states and bins."""

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        self._columns = _codes()
        codes = self._columns.fit_transform(X)
        n_states = codes.max(axis=0).astype(int) + 1
        self._model = CategoricalNB(min_categories=n_states).fit(codes, y)
        self.classes_ = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self._model.predict_proba(self._columns.transform(X))

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self._model.predict(self._columns.transform(X))


class Agrum(ClassifierMixin, BaseEstimator):
    """pyAgrum's tree-augmented naive Bayes, with a prior of one row, on states and bins."""

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        import pyagrum.skbn
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor

        self._columns = _codes()
        codes = self._columns.fit_transform(X)
        self.classes_, own = np.unique(y, return_inverse=True)
        self._model = pyagrum.skbn.BNClassifier(
            type_processor=DiscreteTypeProcessor(),
            learningMethod="TAN",
            prior="Smoothing",
            priorWeight=1.0,
        )
        self._model.fit(_as_texts(codes), pd.Series(own.astype(str), name="class"))
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        found = np.asarray(self._model.predict_proba(_as_texts(self._columns.transform(X))))
        labels = self._model.bn_.variable("class").labels()
        proba = np.zeros((len(X), len(self.classes_)))
        proba[:, [int(label) for label in labels]] = found
        return proba

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        found = self._model.predict(_as_texts(self._columns.transform(X)))
        return self.classes_[np.asarray(found).astype(int)]


def _as_texts(codes: np.ndarray) -> pd.DataFrame:
    texts = pd.DataFrame(codes.astype(int).astype(str)).astype(object)
    return texts.set_axis([f"x{i}" for i in range(codes.shape[1])], axis=1)


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logistic regression": logistic_regression,
    "boosting": Boosting,
    "CategoricalNB": NaiveBayes,
    "pyAgrum": Agrum,
}
