"""Bad input: the right kind of error, in one clear line."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from nacre import AdaBoostClassifier, Stump

nan, inf = np.nan, np.inf
X = np.random.default_rng(0).normal(size=(30, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
W = np.ones(30)
NAMED = pd.DataFrame(X, columns=["a", "b", "c"])

MODELS = {
    "samme": AdaBoostClassifier(n_estimators=3),
    "m1": AdaBoostClassifier(n_estimators=3, variant="m1"),
    "m2": AdaBoostClassifier(n_estimators=3, variant="m2"),
    "exact": AdaBoostClassifier(n_estimators=3, max_bins=None),
    "stump": Stump(),
}
models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def refusal(kind, call, *given, **named):
    """The one line of the error that a call must raise."""
    with pytest.raises(kind) as caught:
        call(*given, **named)
    message = str(caught.value)
    assert message.strip()
    assert "\n" not in message
    return message


def changed(values, place, value):
    out = np.array(values, dtype=type(value) if isinstance(value, float) else object)
    out[place] = value
    return out


# Training data


@models
@pytest.mark.parametrize("label", [nan, inf, -inf, None])
def test_labels_that_are_missing_or_infinite(model, label):
    message = refusal(ValueError, model.fit, X, changed(Y, 3, label))
    assert "Input y contains NaN" in message


@models
def test_labels_that_are_fractions(model):
    assert "continuous" in refusal(ValueError, model.fit, X, Y + 0.5)


@models
def test_one_class(model):
    assert "one class, 0" in refusal(ValueError, model.fit, X, np.zeros(30, int))


@models
def test_one_class_once_weights_are_looked_at(model):
    message = refusal(ValueError, model.fit, X, Y, sample_weight=Y)
    assert "one class, 1" in message
    assert "weight 0" in message


@models
def test_no_rows(model):
    assert "0 sample(s)" in refusal(ValueError, model.fit, X[:0], Y[:0])


@models
def test_no_columns(model):
    assert "0 feature(s)" in refusal(ValueError, model.fit, X[:, :0], Y)


@models
@pytest.mark.parametrize("bad", [inf, -inf])
@pytest.mark.parametrize("categories", [None, [1], [0, 1, 2]], ids=["none", "one", "all"])
def test_infinite_features(model, bad, categories):
    model = clone(model).set_params(categorical_features=categories)
    message = refusal(ValueError, model.fit, changed(X, (4, 1), bad), Y)
    assert "Column 1 of X contains infinity" in message


@models
@pytest.mark.parametrize(
    ("weight", "says"),
    [
        (changed(W, 0, -1.0), "Negative values in sample_weight"),
        (0 * W, "sample_weight is zero for every row"),
        (changed(W, 0, nan), "sample_weight contains NaN"),
        (W[1:], "sample_weight has 29 entries, X has 30 rows"),
        (W[:, None], "sample_weight must be 1D"),
        (["a"] * 30, "sample_weight"),
    ],
    ids=["negative", "zero", "NaN", "short", "2D", "text"],
)
def test_bad_weights(model, weight, says):
    assert says in refusal(ValueError, model.fit, X, Y, sample_weight=weight)


@models
def test_another_number_of_labels(model):
    assert "X has 30 rows, y has 29" in refusal(ValueError, model.fit, X, Y[1:])


@models
@pytest.mark.parametrize(
    "table",
    [changed(X, (2, 1), "red"), changed(X, (2, 1), "red").tolist(), changed(X, (2, 1), b"red")],
    ids=["array", "lists", "bytes"],
)
def test_text_in_a_numeric_column(model, table):
    message = refusal(ValueError, model.fit, table, Y)
    assert "Column 1 of X holds text" in message
    assert "red" in message
    assert "categorical_features" in message


@models
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_text_in_a_column_of_a_frame(model, frame):
    table = frame({"size": X[:, 0], "colour": ["red"] * 30})
    message = refusal(ValueError, model.fit, table, Y)
    assert "Column 'colour' of X holds text ('red')" in message


def test_unknown_categorical_features():
    model = AdaBoostClassifier(categorical_features=["colour"])
    assert "names 'colour', which is not a column" in refusal(ValueError, model.fit, NAMED, Y)


# Rows to predict

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
STAGED = ("staged_predict", "staged_predict_proba", "staged_decision_function")


def ways(model):
    """All that a fitted model can be asked about rows."""
    asked = [getattr(model, name) for name in METHODS if hasattr(model, name)]
    for name in STAGED:
        if hasattr(model, name):
            asked.append(lambda rows, name=name: list(getattr(model, name)(rows)))
    if hasattr(model, "margins"):
        asked.append(lambda rows: model.margins(rows, Y[: len(rows)]))
        asked.append(lambda rows: list(model.staged_score(rows, Y[: len(rows)])))
    return asked


@models
def test_infinite_rows(model):
    for ask in ways(model.fit(X, Y)):
        assert "Column 2 of X contains infinity" in refusal(
            ValueError, ask, changed(X, (0, 2), -inf)
        )


@models
@pytest.mark.parametrize("d", [1, 2, 4])
def test_another_number_of_columns(model, d):
    for ask in ways(model.fit(X, Y)):
        assert f"X has {d} features" in refusal(ValueError, ask, np.zeros((30, d)))


@models
@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a", "b", "z"], r"unseen at fit time:\n- z\n.*now missing:\n- c"),
        (["b", "a", "c"], "must be in the same order"),
        (["a", "b"], r"now missing:\n- c"),
        (["a", "b", "c", "d"], r"unseen at fit time:\n- d"),
    ],
    ids=["other", "order", "fewer", "more"],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_other_names(model, names, says, frame):
    """The only error of several lines: scikit-learn's, whose checks ask for these very lines."""
    model.fit(frame(dict(zip("abc", X.T, strict=True))), Y)
    other = frame(dict.fromkeys(names, X[:, 0]))
    for ask in ways(model):
        with pytest.raises(ValueError, match="feature names should match(.|\n)*" + says):
            ask(other)


@models
def test_text_in_rows_to_predict(model):
    model.fit(X, Y)
    for ask in ways(model):
        assert "Column 1 of X holds text" in refusal(ValueError, ask, changed(X, (0, 1), "red"))


@models
def test_no_rows_to_predict(model):
    for ask in ways(model.fit(X, Y)):
        assert "0 sample(s)" in refusal(ValueError, ask, X[:0])


@models
def test_one_row_must_be_a_table(model):
    for ask in ways(model.fit(X, Y)):
        assert "2D array" in refusal(ValueError, ask, X[0])


@models
def test_unfitted(model):
    for ask in ways(clone(model)):
        assert "not fitted yet" in refusal(NotFittedError, ask, X)


def test_importances_of_an_unfitted_model():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        _ = AdaBoostClassifier().feature_importances_


@pytest.mark.parametrize(
    "labels",
    [Y[1:], Y + 5, Y - 1, Y + 0.5, np.array(["a"] * 30), [None] * 30],
    ids=["short", "above", "below", "between", "text", "None"],
)
def test_margins_of_other_labels(labels):
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    assert "y" in refusal(ValueError, model.margins, X, labels).split()


def test_staged_score_of_too_few_labels():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    message = refusal(ValueError, lambda: list(model.staged_score(X, Y[1:])))
    assert "y" in message.split()


def test_a_column_of_labels_is_taken_with_a_warning():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    with pytest.warns(DataConversionWarning):
        assert np.array_equal(model.margins(X, Y[:, None]), model.margins(X, Y))
    with pytest.warns(DataConversionWarning):
        scores = list(model.staged_score(X, Y[:, None]))
    assert scores == list(model.staged_score(X, Y))


# Parameters


@pytest.mark.parametrize(
    ("name", "value", "kind", "says"),
    [
        ("n_estimators", 0, ValueError, "at least 1, got 0"),
        ("n_estimators", -5, ValueError, "at least 1, got -5"),
        ("n_estimators", 2.5, TypeError, "whole number, got 2.5"),
        ("n_estimators", "ten", TypeError, "whole number, got 'ten'"),
        ("n_estimators", None, TypeError, "whole number, got None"),
        ("learning_rate", 0, ValueError, "above 0 and at most 1e6, got 0"),
        ("learning_rate", -1.0, ValueError, "above 0 and at most 1e6, got -1.0"),
        ("learning_rate", nan, ValueError, "above 0 and at most 1e6, got nan"),
        ("learning_rate", inf, ValueError, "above 0 and at most 1e6, got inf"),
        ("learning_rate", "fast", (TypeError, ValueError), "got 'fast'"),
        ("max_bins", 1, ValueError, "at least 2, got 1"),
        ("max_bins", 256, ValueError, "at most 255, got 256"),
        ("max_bins", 2.5, TypeError, "whole number, got 2.5"),
        ("max_bins", "all", TypeError, "whole number, got 'all'"),
        ("variant", "m3", ValueError, "samme, m1, m2; got 'm3'"),
        ("variant", None, ValueError, "got None"),
        ("n_jobs", 0, ValueError, "must not be 0"),
        ("n_jobs", 1.5, TypeError, "whole number, got 1.5"),
        ("n_jobs", "all", TypeError, "whole number, got 'all'"),
        ("estimator", "tree", TypeError, "must be a classifier, got 'tree'"),
        ("estimator", 3, TypeError, "must be a classifier, got 3"),
        ("estimator", DecisionTreeRegressor(), TypeError, "must be a classifier, got DecisionTree"),
        ("estimator", make_pipeline(DecisionTreeRegressor()), TypeError, "must be a classifier"),
        ("estimator", DecisionTreeClassifier, TypeError, "estimator"),
        ("estimator", Stump(max_bins=256), ValueError, "max_bins must be at most 255, got 256"),
    ],
)
def test_bad_parameters(name, value, kind, says):
    message = refusal(kind, AdaBoostClassifier(**{name: value}).fit, X, Y)
    assert says in message
    assert name in message or name == "estimator"


@pytest.mark.parametrize(
    ("max_bins", "kind", "says"),
    [
        (0, ValueError, "at least 2, got 0"),
        (1, ValueError, "at least 2, got 1"),
        (256, ValueError, "at most 255, got 256"),
        (2.5, TypeError, "whole number, got 2.5"),
        ("all", TypeError, "whole number, got 'all'"),
    ],
)
def test_bad_bins_of_a_stump(max_bins, kind, says):
    message = refusal(kind, Stump(max_bins=max_bins).fit, X, Y)
    assert message.startswith("max_bins must be")
    assert says in message


def test_bad_parameters_are_only_looked_at_in_fit():
    assert AdaBoostClassifier(n_estimators=0).get_params()["n_estimators"] == 0
