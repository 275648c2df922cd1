"""cleanlab's names over nacre, beside the real package."""

import inspect
import subprocess
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import LabelEncoder, StandardScaler

from nacre import NacreClassifier, judge_labels
from nacre.compat.cleanlab import classification, count, filter, multiannotator, rank
from nacre.noise import flip_labels

OURS, THEIRS = "nacre.compat.cleanlab", "cleanlab"
NOISE = np.array([[0.8, 0.15, 0.05], [0.05, 0.9, 0.05], [0.02, 0.08, 0.9]])
"""True class as its row, as nacre has it."""


def original(name):
    return import_module(pytest.importorskip("cleanlab", reason="cleanlab is not here").__name__
                         + f".{name}")  # fmt: skip


@pytest.fixture(scope="module")
def planar():
    """Three Gaussian classes, labels wrong by a matrix that is not symmetric, and probabilities."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], (300, 150, 150))
    X = rng.normal(size=(600, 2)) * 1.2 + np.array([(3, 2), (7, 7), (0, 8)])[y]
    labels = np.array([rng.choice(3, p=NOISE[true]) for true in y])
    pred_probs = cross_val_predict(GaussianNB(), X, labels, cv=5, method="predict_proba")
    return X, y, labels, pred_probs


HELPERS = {
    "latent", "rounded", "read_answers", "judged_answers", "detailed_quality", "annotator_stats",
}  # fmt: skip
FUNCTIONS = [
    (module, name)
    for module in (filter, rank, count, multiannotator)
    for name, one in vars(module).items()
    if inspect.isfunction(one) and one.__module__ == module.__name__
    and name not in HELPERS
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name"), FUNCTIONS, ids=lambda one: getattr(one, "__name__", one)
)
def test_functions_are_called_as_the_originals(module, name):
    theirs = getattr(original(module.__name__.rpartition(".")[2]), name)
    compare_signatures(getattr(module, name), theirs)
    text = inspect.getdoc(getattr(module, name))
    for section in ("Parameters", "Returns", "Examples"):
        assert f"{section}\n{'-' * len(section)}\n" in text
    for parameter in inspect.signature(getattr(module, name)).parameters:
        assert parameter in text


def compare_signatures(ours, theirs):
    """The same names in the same order, by place or by name; defaults may differ in form."""
    ours, theirs = (inspect.signature(one).parameters for one in (ours, theirs))
    left_out = {"log_loss_search_T_values"}
    assert list(ours) == [name for name in theirs if name not in left_out]
    for name, one in ours.items():
        assert one.kind == theirs[name].kind, name
        if isinstance(theirs[name].default, (str, int, bool)):
            assert one.default == theirs[name].default, name


@pytest.mark.parametrize("method", ["__init__", "fit", "find_label_issues", "score", "save_space"])
def test_methods_are_called_as_the_originals(method):
    theirs = original("classification").CleanLearning
    ours = classification.CleanLearning
    compare_signatures(getattr(ours, method), getattr(theirs, method))


def test_formulas_are_the_same_to_the_digit(planar):
    _, _, labels, pred_probs = planar
    for module, name in (
        (filter, "find_predicted_neq_given"),
        (rank, "get_self_confidence_for_each_label"),
        (rank, "get_normalized_margin_for_each_label"),
        (count, "get_confident_thresholds"),
    ):
        theirs = getattr(original(module.__name__.rpartition(".")[2]), name)
        found = getattr(module, name)(labels, pred_probs)
        np.testing.assert_allclose(found, theirs(labels, pred_probs), atol=1e-12)
        assert found.dtype == theirs(labels, pred_probs).dtype
    scores = np.random.default_rng(0).random(50)
    top = rank.find_top_issues(scores, top=7)
    np.testing.assert_array_equal(top, original("rank").find_top_issues(scores, top=7))


def test_issues_are_those_of_judge_labels_and_near_the_originals(planar):
    _, y, labels, pred_probs = planar
    wrong = labels != y
    found = judge_labels(pred_probs, labels)
    mask = filter.find_label_issues(labels, pred_probs)
    np.testing.assert_array_equal(mask, found.suspected)
    for way in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
        ranked = filter.find_label_issues(labels, pred_probs, return_indices_ranked_by=way)
        np.testing.assert_array_equal(ranked, found.suspects)
    theirs = original("filter").find_label_issues(labels, pred_probs, n_jobs=1)
    assert mask.dtype == theirs.dtype
    assert mask.shape == theirs.shape
    assert (mask & theirs).sum() / (mask | theirs).sum() > 0.7
    assert wrong[mask].mean() > wrong[theirs].mean() - 0.03
    half = filter.find_label_issues(
        labels, pred_probs, frac_noise=0.5, return_indices_ranked_by="self_confidence"
    )
    np.testing.assert_array_equal(half, found.suspects[: round(len(found.suspects) / 2)])


def test_scores_rank_as_well_as_the_originals(planar):
    _, y, labels, pred_probs = planar
    ours = rank.get_label_quality_scores(labels, pred_probs)
    theirs = original("rank").get_label_quality_scores(labels, pred_probs)
    assert ours.shape == theirs.shape
    assert 0 <= ours.min() <= ours.max() <= 1
    found, peer = (average_precision_score(labels != y, 1 - one) for one in (ours, theirs))
    assert found > peer - 0.01
    both = rank.get_label_quality_ensemble_scores(labels, [pred_probs, pred_probs], verbose=False)
    np.testing.assert_allclose(both, ours, rtol=1e-4)  # rounding, seen through a fit
    one = rank.get_label_quality_ensemble_scores(
        labels, [pred_probs, pred_probs[::-1]], weight_ensemble_members_by="custom",
        custom_weights=[1, 0],
    )  # fmt: skip
    np.testing.assert_allclose(one, ours)
    order = rank.order_label_issues(labels != y, labels, pred_probs)
    assert sorted(order) == np.flatnonzero(labels != y).tolist()
    assert np.all(np.diff(ours[order]) >= 0)


def test_matrices_have_the_originals_orientation(planar):
    """By a noise matrix that is not symmetric, so that a transposed one is off."""
    X, y, labels, pred_probs = planar
    names = "py", "noise_matrix", "inverse_noise_matrix", "confident_joint"
    ours, theirs = (
        dict(zip(names, module.estimate_py_and_noise_matrices_from_probabilities(
            labels, pred_probs), strict=True))
        for module in (count, original("count"))
    )  # fmt: skip
    for name in names:
        assert ours[name].shape == theirs[name].shape
        assert ours[name].dtype.kind == theirs[name].dtype.kind
    for found in (ours, theirs):
        np.testing.assert_allclose(found["noise_matrix"].sum(axis=0), 1)
        np.testing.assert_allclose(found["inverse_noise_matrix"].sum(axis=0), 1)
    seen = np.array([[(labels[y == k] == s).mean() for k in range(3)] for s in range(3)])
    gaps = [abs(one["noise_matrix"] - seen).max() for one in (ours, theirs)]
    assert gaps[0] < max(0.05, gaps[1])
    assert abs(ours["noise_matrix"] - seen.T).max() > 0.08
    back = np.array([[(y[labels == s] == k).mean() for s in range(3)] for k in range(3)])
    assert abs(ours["inverse_noise_matrix"] - back).max() < 0.06
    np.testing.assert_allclose(ours["py"], np.bincount(y) / 600, atol=0.03)
    np.testing.assert_array_equal(ours["confident_joint"].sum(axis=1), np.bincount(labels))
    np.testing.assert_array_equal(theirs["confident_joint"].sum(axis=1), np.bincount(labels))
    np.testing.assert_array_equal(
        count.compute_confident_joint(labels, pred_probs), ours["confident_joint"]
    )
    joint = count.estimate_joint(labels, pred_probs)
    np.testing.assert_allclose(
        joint, original("count").estimate_joint(labels, pred_probs), atol=0.03
    )
    np.testing.assert_allclose(joint.sum(), 1)
    np.testing.assert_allclose(joint * 600, ours["confident_joint"], atol=1)
    assert count.num_label_issues(labels, pred_probs) == len(
        judge_labels(pred_probs, labels).suspects
    )
    noise, inverse = count.estimate_noise_matrices(X, labels, GaussianNB(), seed=0)
    assert abs(noise - seen).max() < 0.06
    assert abs(inverse - back).max() < 0.08


def test_out_of_fold_probabilities_are_the_originals(planar):
    X, _, labels, _ = planar
    theirs = original("count").estimate_cv_predicted_probabilities(X, labels, GaussianNB(), seed=3)
    ours = count.estimate_cv_predicted_probabilities(X, labels, GaussianNB(), seed=3)
    np.testing.assert_allclose(ours, theirs)


def tutorial(package, table, labels_raw):
    """The steps of cleanlab's tutorial on tabular data, and of its survey of workflows."""
    find_label_issues = import_module(f"{package}.filter").find_label_issues
    CleanLearning = import_module(f"{package}.classification").CleanLearning
    X = pd.get_dummies(table, columns=["notes"], drop_first=True)
    numeric = ["exam_1", "exam_2", "exam_3"]
    X[numeric] = StandardScaler().fit_transform(X[numeric])
    labels = LabelEncoder().fit_transform(labels_raw)
    clf = ExtraTreesClassifier(50, random_state=0)
    pred_probs = cross_val_predict(clf, X, labels, cv=5, method="predict_proba")
    ranked = find_label_issues(
        labels=labels, pred_probs=pred_probs, return_indices_ranked_by="self_confidence"
    )
    shown = table.iloc[ranked].assign(label=labels_raw[ranked]).head()
    train, test, labels_train, _ = train_test_split(X, labels, test_size=0.2, random_state=0)
    model = CleanLearning(ExtraTreesClassifier(50, random_state=0), seed=0)
    model.fit(train, labels_train)
    predicted = model.predict(test)
    issues = CleanLearning(clf, seed=0).find_label_issues(X, labels)
    lowest = issues["label_quality"].argsort()[:20].to_numpy()
    return {"ranked": ranked, "shown": shown, "predicted": predicted, "issues": issues,
            "lowest": lowest, "train": model.get_label_issues()}  # fmt: skip


def grades(n=700, seed=0):
    """Three exams and a note make a grade; one grade in five is entered wrongly."""
    rng = np.random.default_rng(seed)
    exams = np.clip(rng.normal(75, 15, (n, 1)) + rng.normal(0, 8, (n, 3)), 0, 100).round()
    notes = rng.choice(["", "great participation +10", "missed class -10"], n, p=[0.6, 0.2, 0.2])
    points = exams.mean(axis=1) + np.select(
        [notes == "", notes == "missed class -10"], [0, -10], 10
    )
    truth = np.array(list("FDCBA"))[np.digitize(points, [60, 70, 80, 90])]
    labels, wrong = flip_labels(truth, 0.2, random_state=seed)
    table = pd.DataFrame(exams, columns=["exam_1", "exam_2", "exam_3"]).assign(notes=notes)
    return table, labels, wrong, truth


@pytest.mark.slow
def test_the_tutorial_runs_with_the_import_line_changed():
    original("filter")
    table, labels, wrong, truth = grades()
    ours, theirs = (tutorial(package, table, labels) for package in (OURS, THEIRS))
    assert list(ours["shown"].columns) == list(theirs["shown"].columns)
    for name in ("issues", "train"):
        assert list(ours[name].columns) == list(theirs[name].columns)
        assert [one.kind for one in ours[name].dtypes] == [one.kind for one in theirs[name].dtypes]
    for name in ("given_label", "predicted_label"):
        np.testing.assert_array_equal(ours["issues"][name], theirs["issues"][name])
    assert wrong[ours["ranked"]].mean() > wrong[theirs["ranked"]].mean() - 0.02
    assert wrong[ours["lowest"]].mean() > 0.9
    codes = LabelEncoder().fit_transform(truth)
    test = train_test_split(np.arange(len(codes)), codes, test_size=0.2, random_state=0)[3]
    accuracy = [(one["predicted"] == test).mean() for one in (ours, theirs)]
    assert accuracy[0] > accuracy[1] - 0.03
    dropped = ours["train"]["is_label_issue"]
    assert (ours["train"].loc[dropped, "sample_weight"] == 0).all()
    assert (ours["train"].loc[~dropped, "sample_weight"] == 1).all()


@pytest.mark.slow
def test_without_a_classifier_it_is_the_one_of_nacre(planar):
    X, y, labels, _ = planar
    found = classification.CleanLearning(seed=0).fit(X, labels)
    assert isinstance(found.clf, NacreClassifier)
    np.testing.assert_array_equal(found.label_issues_mask, found.clf.found_.suspected)
    assert found.score(X, y) > 0.93
    assert (found.sample_weight == 1).all()
    again = found.fit(X, labels)
    np.testing.assert_array_equal(again.label_issues_mask, found.label_issues_mask)


def test_clean_learning_takes_what_is_known(planar):
    X, y, labels, pred_probs = planar
    wrong = labels != y
    clf = LogisticRegression()
    expected = clone(clf).fit(X[~wrong], labels[~wrong]).predict_proba(X)
    frame = pd.DataFrame({"is_label_issue": wrong})
    for known in (wrong, np.flatnonzero(wrong), frame):
        model = classification.CleanLearning(clf).fit(X, labels, label_issues=known)
        np.testing.assert_array_equal(model.predict_proba(X), expected)
    model = classification.CleanLearning(clf).fit(X, y=labels, pred_probs=pred_probs)
    np.testing.assert_array_equal(
        model.label_issues_mask, filter.find_label_issues(labels, pred_probs)
    )
    weight = np.where(y == 2, 5.0, 1.0)
    keep = ~model.label_issues_mask
    weighed = classification.CleanLearning(clf)
    weighed.fit(pd.DataFrame(X), labels, pred_probs=pred_probs, sample_weight=weight)
    own = clone(clf).fit(pd.DataFrame(X[keep]), labels[keep], sample_weight=weight[keep])
    np.testing.assert_array_equal(weighed.predict(pd.DataFrame(X)), own.predict(pd.DataFrame(X)))
    assert model.noise_matrix.shape == (3, 3)
    assert clone(model).get_params()["cv_n_folds"] == 5
    assert model.save_space().get_label_issues() is None


@pytest.fixture(scope="module")
def crowd():
    """Four annotators, one of them poor, each on part of the rows; and probabilities."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    answers = np.full((400, 4), np.nan)
    for place, rate in enumerate((0.1, 0.15, 0.2, 0.5)):
        wrong = rng.random(400) < rate
        said = np.where(wrong, (y + rng.integers(1, 3, 400)) % 3, y)
        seen = rng.random(400) < (0.3 if place == 2 else 0.7)
        answers[seen, place] = said[seen]
    answers[np.isnan(answers).all(axis=1), 0] = 0
    scores = 2.0 * (y[:, None] == np.arange(3)) + rng.normal(size=(400, 3))
    pred_probs = softmax(scores, axis=1)
    frame = pd.DataFrame(answers, columns=["Ann", "Bob", "Cy", "Dot"])
    return frame.set_index(np.arange(1000, 1400)), pred_probs, y


def test_several_annotators(crowd):
    frame, pred_probs, y = crowd
    ours, theirs = (
        module.get_label_quality_multiannotator(frame, pred_probs, verbose=False)
        for module in (multiannotator, original("multiannotator"))
    )
    assert list(ours) == list(theirs)
    for name, table in ours.items():
        assert set(table.columns) == set(theirs[name].columns)
        assert set(table.index) == set(theirs[name].index)
    assert list(ours["label_quality"].index) == list(frame.index)
    right = [(one["label_quality"]["consensus_label"] == y).mean() for one in (ours, theirs)]
    assert right[0] > right[1] - 0.01
    assert ours["annotator_stats"].index[0] == "Dot" == theirs["annotator_stats"].index[0]
    np.testing.assert_array_equal(
        ours["label_quality"]["num_annotations"], theirs["label_quality"]["num_annotations"]
    )
    gaps = ours["detailed_label_quality"].isna().to_numpy()
    np.testing.assert_array_equal(gaps, frame.isna().to_numpy())
    order = ["Ann", "Bob", "Cy", "Dot"]
    stats = [one["annotator_stats"].loc[order] for one in (ours, theirs)]
    assert abs(stats[0]["annotator_quality"] - [0.9, 0.85, 0.8, 0.5]).max() < 0.1
    np.testing.assert_array_equal(*(one["num_examples_labeled"] for one in stats))
    plain = multiannotator.get_label_quality_multiannotator(frame.to_numpy(), pred_probs)
    np.testing.assert_array_equal(
        plain["label_quality"].to_numpy(), ours["label_quality"].to_numpy()
    )


def test_votes_and_rows_to_ask(crowd):
    frame, pred_probs, _ = crowd
    ours, theirs = (
        module.get_majority_vote_label(frame, pred_probs, verbose=False)
        for module in (multiannotator, original("multiannotator"))
    )
    assert (ours == theirs).mean() > 0.98
    scores, none = multiannotator.get_active_learning_scores(frame, pred_probs)
    assert scores.shape == (400,)
    assert none.shape == (0,)
    found, others = multiannotator.get_active_learning_scores(
        frame, pred_probs, np.array([[1 / 3, 1 / 3, 1 / 3], [0.7, 0.15, 0.15]])
    )
    assert others[0] < others[1] < np.median(found)
    long = frame.reset_index(names="task").melt("task", var_name="annotator", value_name="label")
    long = long.dropna()
    pd.testing.assert_frame_equal(
        multiannotator.convert_long_to_wide_dataset(long),
        original("multiannotator").convert_long_to_wide_dataset(long),
        check_names=False,
    )


def test_answers_of_nullable_columns(crowd):
    frame, pred_probs, _ = crowd
    for name in ("get_majority_vote_label", "get_active_learning_scores"):
        work = getattr(multiannotator, name)
        found = [work(one, pred_probs) for one in (frame, frame.astype("Int64"))]
        np.testing.assert_array_equal(*(np.hstack(one) for one in found))


BAD = [
    (lambda X, y, p: multiannotator.get_majority_vote_label(y), "a column for each"),
    (lambda X, y, p: multiannotator.get_majority_vote_label(y[:, None] - 1), "whole numbers from"),
    (lambda X, y, p: multiannotator.get_majority_vote_label([["a", "b"]]), "whole numbers from 0"),
    (lambda X, y, p: multiannotator.get_majority_vote_label(y[:, None] * np.nan), "whole numbers"),
    (lambda X, y, p: multiannotator.get_majority_vote_label(y[:, None], p[:9]), "row for each of"),
    (lambda X, y, p: multiannotator.get_label_quality_multiannotator(
        y[:, None], p, return_weights=True), "return_weights has no"),
    (lambda X, y, p: multiannotator.get_label_quality_multiannotator(y, p), "a column for each"),
    (lambda X, y, p: multiannotator.get_label_quality_multiannotator(
        y[:, None] - 0.5, p), "whole numbers from 0"),
    (lambda X, y, p: multiannotator.get_active_learning_scores(
        pred_probs_unlabeled=p), "must be given"),
    (lambda X, y, p: filter.find_label_issues(y, p, multi_label=True), "multi_label has no"),
    (lambda X, y, p: filter.find_label_issues(y, p, confident_joint=np.eye(3)), "confident_joint"),
    (lambda X, y, p: filter.find_label_issues(y, p, filter_by="best"), "filter_by must be one of"),
    (lambda X, y, p: filter.find_label_issues(y, p, frac_noise=2), "frac_noise must be"),
    (lambda X, y, p: filter.find_label_issues(y, p, return_indices_ranked_by="x"), "must be one"),
    (lambda X, y, p: filter.find_label_issues(y[:9], p), "There are 9 labels for 600 rows"),
    (lambda X, y, p: filter.find_label_issues(y.astype(str), p), "whole numbers from 0 to 2"),
    (lambda X, y, p: filter.find_label_issues(y - 1, p), "whole numbers from 0 to 2"),
    (lambda X, y, p: filter.find_label_issues(y + 0.5, p), "whole numbers from 0 to 2"),
    (lambda X, y, p: filter.find_label_issues(y, p * 2), "sums to 2"),
    (lambda X, y, p: rank.get_label_quality_scores(y, p, method="x"), "method must be one of"),
    (lambda X, y, p: rank.get_label_quality_ensemble_scores(y, []), "arrays of one shape"),
    (lambda X, y, p: rank.get_label_quality_ensemble_scores(
        y, [p], weight_ensemble_members_by="x"), "must be one of uniform"),
    (lambda X, y, p: rank.get_label_quality_ensemble_scores(
        y, [p], weight_ensemble_members_by="custom", custom_weights=[-1]), "custom_weights"),
    (lambda X, y, p: rank.order_label_issues([1, 2], y, p), "boolean array"),
    (lambda X, y, p: count.compute_confident_joint(y, p, thresholds=[1]), "thresholds has no"),
    (lambda X, y, p: classification.CleanLearning(pulearning=1).fit(X, y), "pulearning has no"),
    (lambda X, y, p: classification.CleanLearning().fit(X), "labels must be given"),
    (lambda X, y, p: classification.CleanLearning().find_label_issues(X), "labels must be given"),
    (lambda X, y, p: classification.CleanLearning().fit(X, y, noise_matrix=[1]), "no counter"),
    (lambda X, y, p: classification.CleanLearning().fit(X, y, label_issues=[700]), "a mask of 600"),
    (lambda X, y, p: classification.CleanLearning().fit(
        X, y, label_issues=pd.DataFrame({"a": y})), "a column is_label_issue"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), BAD, ids=[said for _, said in BAD])
def test_what_has_no_counterpart_is_refused(call, said, planar):
    X, _, labels, pred_probs = planar
    with pytest.raises(ValueError, match=said):
        call(X, labels, pred_probs)


def test_modules_are_found_by_attribute():
    code = (
        "import nacre.compat.cleanlab as cleanlab, sys; print('sklearn' in sys.modules); "
        "cleanlab.filter.find_label_issues; cleanlab.classification.CleanLearning; "
        "print('cleanlab' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
