"""Metadata finds its way through scikit-learn's pipelines and searches, and estimators show."""

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nacre
from nacre import AdaBoostClassifier, CoreBoostClassifier, NacreClassifier, Tree
from nacre.filters import MarginFilter

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] > 0) ^ (RNG.random(90) < 0.1)
TOLD = {
    "clean": RNG.random(90) < 0.2,
    "groups": np.arange(90) // 3,
    "sample_weight": RNG.random(90) + 0.1,
}
WANTED = dict.fromkeys(TOLD, True)


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_pipeline_hands_on_what_is_asked_for():
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    model = NacreClassifier("fast", random_state=0)
    piped = make_pipeline(scaler, sklearn.clone(model).set_fit_request(**WANTED)).fit(X, Y, **TOLD)
    scaled = StandardScaler().fit_transform(X)
    direct = model.fit(scaled, Y, **TOLD)
    np.testing.assert_array_equal(piped.predict_proba(X), direct.predict_proba(scaled))
    plain = NacreClassifier("fast", random_state=0).fit(scaled, Y)
    assert not np.array_equal(piped.predict_proba(X), plain.predict_proba(scaled))


@pytest.mark.filterwarnings("ignore:The noise rate cannot be told")
def test_cross_validation_splits_it_along_with_the_rows(monkeypatch):
    seen = []
    fit = CoreBoostClassifier.fit

    def note(self, X, y, sample_weight=None, **told):
        seen.append({name: len(one) for name, one in told.items()} | {"y": len(y)})
        return fit(self, X, y, sample_weight, **told)

    model = CoreBoostClassifier(n_estimators=3, random_state=0).set_fit_request(**WANTED)
    monkeypatch.setattr(CoreBoostClassifier, "fit", note)
    found = cross_validate(
        make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model), X, Y,
        scoring=make_scorer(accuracy_score).set_score_request(sample_weight=True),
        cv=GroupKFold(3), params=TOLD, error_score="raise",
    )  # fmt: skip
    assert len(found["test_score"]) == 3
    assert seen == [{"clean": 60, "groups": 60, "y": 60}] * 3


@pytest.mark.filterwarnings("ignore:The noise rate cannot be told")
def test_a_search_hands_it_on_too():
    model = CoreBoostClassifier(random_state=0).set_fit_request(clean=True, groups=True)
    told = {name: TOLD[name] for name in ("clean", "groups")}
    search = GridSearchCV(model, {"n_estimators": [2, 4]}, cv=GroupKFold(3), error_score="raise")
    search.fit(X, Y, **told)
    rounds = search.best_params_["n_estimators"]
    direct = CoreBoostClassifier(n_estimators=rounds, random_state=0).fit(X, Y, **told)
    np.testing.assert_array_equal(search.predict_proba(X), direct.predict_proba(X))


def test_what_nobody_has_asked_for_is_refused():
    model = AdaBoostClassifier(n_estimators=2)
    told = {"cv": GroupKFold(3), "params": {"groups": TOLD["groups"]}, "error_score": "raise"}
    with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
        cross_validate(model, X, Y, **told)
    assert len(cross_validate(model.set_fit_request(groups=False), X, Y, **told)["fit_time"]) == 3


CLASSIFIERS = [name for name in nacre.__all__ if name.endswith("Classifier")]


@pytest.mark.parametrize("name", [one for one in CLASSIFIERS if one != "BoostedClassifier"])
def test_every_classifier_can_be_told_groups_and_weights(name):
    model = getattr(nacre, name)().set_fit_request(groups=True, sample_weight=True)
    requests = model.get_metadata_routing().fit.requests
    assert requests["groups"] is requests["sample_weight"] is True


def test_a_box_that_opens_shows_the_parameters():
    """In a notebook: scikit-learn's, of a weak learner inside too."""
    shown = make_pipeline(StandardScaler(), AdaBoostClassifier(Tree(max_depth=7), 5))._repr_html_()
    for word in ("AdaBoostClassifier", "Tree", "max_depth", "n_estimators", "7"):
        assert word in shown
    assert "MarginFilter" in MarginFilter()._repr_html_()
