"""A review of a small table."""

import shutil

import numpy as np
import pytest

from nacre.review.estimate import OPEN
from nacre.review.session import Review
from nacre.review.store import Conflict
from nacre.review.view import Filter, bulk, column_values, image, list_view, row_view

pytestmark = pytest.mark.slow


@pytest.fixture
def review(folder):
    made = Review(folder)
    yield made
    made.store.close()


def decide(review, truth, count, who="Ann"):
    """As the queue comes, and always right."""
    for _ in range(count):
        (slot,) = review.next_open(0)
        row = int(review.loaded.rows[review.queue.rows[slot]])
        review.decide(row, "change", truth[row], who=who, seen=0)


def test_the_queue_begins_with_the_most_suspect_and_has_random_rows(review):
    first = review.queue.rows[~review.queue.random][:50]
    assert np.all(np.diff(review.wrong[first]) <= 0)
    assert review.wrong[first[0]] == review.wrong.max()
    assert review.queue.random[:50].sum() == 10
    assert review.loaded.path.name == "cases.csv"


def test_a_review_comes_back_as_it_was(review, folder, truth):
    decide(review, truth, 60)
    now = review.progress()
    assert (now.checked, now.drawn >= 12) == (60, True)
    wrong = [one != two for one, two in zip(truth, given_labels(review), strict=True)]
    assert now.wrong.low <= sum(wrong) <= now.wrong.high
    again = Review(folder)
    assert again.progress() == now
    assert again.next_open(0) == review.next_open(0)
    again.store.close()


def given_labels(review):
    return [review.classes[code] for code in review.given]


def test_two_reviews_of_one_folder_see_each_other(review, folder, truth):
    other = Review(folder)
    decide(review, truth, 8)
    with pytest.raises(Conflict, match="Ann"):
        decide(other, truth, 1, "Ben")
    other.catch_up()
    assert other.progress() == review.progress()
    decide(other, truth, 2, "Ben")
    assert [one.who for one in review.catch_up()] == ["Ben", "Ben"]
    other.store.close()


def test_undo_reopens(review, truth):
    decide(review, truth, 5)
    before = review.progress()
    decide(review, truth, 1)
    (undone,) = review.undo("Ann")
    assert review.state[review.places[undone.row]] == OPEN
    assert review.progress() == before


def test_learning_puts_the_queue_in_a_new_order(review, folder, truth):
    assert review.rejudge() is None
    decide(review, truth, 50)
    reached = review.ranking[: review.frontier].copy()
    random = review.queue.rows[review.queue.random][:10]
    changes = review.rejudge()
    assert changes.learned == len(reached)
    assert changes.moved > 0
    np.testing.assert_array_equal(review.ranking[: len(reached)], reached)
    sure = reached[review.label[reached] >= 0]
    np.testing.assert_allclose(review.posterior[sure, review.label[sure]], 1.0)
    aside = [row for row in random if row not in reached and review.state[row] != OPEN]
    assert aside
    assert np.all(review.posterior[aside].max(axis=1) < 1.0)  # not told, so not sure
    again = Review(folder)
    np.testing.assert_array_equal(again.ranking, review.ranking)
    assert again.changes == review.changes
    again.store.close()


def test_what_is_decided_while_a_model_is_fitted_keeps_its_place(review, truth, monkeypatch):
    """Rows that nobody has seen are not taken for reached, nor random ones for suspects."""
    decide(review, truth, 50)
    learn = review._learn

    def meanwhile(*args):
        decide(review, truth, 20)
        return learn(*args)

    monkeypatch.setattr(review, "_learn", meanwhile)
    review.rejudge()
    reached = review.ranking[: review.frontier]
    assert np.all(review.state[reached] != OPEN)
    decided = review.population[review.state[review.population] != OPEN]
    assert {review.last[place].kind for place in np.setdiff1d(decided, reached)} == {"random"}
    assert np.isfinite(review.progress().left.count)


def test_a_row_that_has_moved_since_it_was_shown_leads_the_order_nowhere(review, truth):
    decide(review, truth, 10)
    (shown,) = review.next_open(0)
    place = int(review.queue.rows[shown])
    review._order(np.append(review.ranking[review.ranking != place], place))
    before = review.frontier
    row = int(review.loaded.rows[place])
    made = review.decide(row, "keep", None, who="Ann", seen=0, slot=shown)
    assert (made.kind, review.frontier) == ("chosen", before)


def test_rows_left_out_are_not_learned_from(review, truth):
    decide(review, truth, 20)
    place = int(review.ranking[review.frontier])
    row = int(review.loaded.rows[place])
    review.decide(row, "exclude", None, who="Ann", seen=0)
    before = review.posterior[place].copy()
    review.rejudge()
    np.testing.assert_allclose(review.posterior[place], before, atol=1e-6)


@pytest.mark.parametrize(
    ("words", "match"),
    [((9999, "keep", None), "no row 9999"), ((0, "burn", None), "burn"),
     ((0, "change", "odd"), "no label 'odd'")],
)  # fmt: skip
def test_what_cannot_be_decided(review, words, match):
    with pytest.raises(ValueError, match=match):
        review.decide(*words, who="Ann", seen=0)


def test_changing_to_the_same_label_is_keeping_it(review):
    row = int(review.loaded.rows[review.queue.rows[0]])
    given = review.classes[review.given[review.queue.rows[0]]]
    assert review.decide(row, "change", given, who="Ann", seen=0).verdict == "keep"


def test_another_audit_is_refused(folder, review):
    with pytest.raises(ValueError, match="begun with seed 0"):
        Review(folder, seed=5)
    shutil.copy(folder / "review.sqlite", folder.parent / "kept.sqlite")
    table = folder.parent / "cases.csv"
    text = table.read_text().replace(",sick\n", ",well\n", 1)
    (folder.parent / "other.csv").write_text(text)
    with pytest.raises(ValueError, match="not the table that was audited"):
        Review(folder, folder.parent / "other.csv")


def test_without_its_file_a_review_uses_the_copy(folder):
    (folder.parent / "cases.csv").unlink()
    review = Review(folder)
    assert review.loaded.path is None
    assert row_view(review, 0)["id"] == "C-0"
    review.store.close()


def test_what_is_shown_of_a_row(review):
    place = int(review.queue.rows[0])
    shown = row_view(review, place)
    assert shown["given"] != shown["suggested"]
    assert sum(chance for _, chance in shown["chances"]) == pytest.approx(1.0)
    assert [len(shown["near"][kind]) for kind in ("given", "suggested")] == [3, 3]
    for kind in ("given", "suggested"):
        rows = [review.places[one["row"]] for one in shown["near"][kind]]
        assert {review.classes[review.given[row]] for row in rows} == {shown[kind]}
        assert place not in rows
    assert all(len(one["values"]) == 7 for one in shown["compared"])
    assert any(one["telling"] for one in shown["compared"])
    texts = dict(shown["texts"])
    assert len(texts["note"]) > 10_000
    names = {name for name, _ in [*shown["others"], *shown["texts"]]}
    names |= {one["name"] for one in shown["compared"]} | set(shown["images"])
    assert names == set(review.loaded.frame.columns) - {"state", "case"}
    assert "models say" in shown["reasons"][0]


def test_a_row_that_models_leave_as_it_is_has_no_objections(review):
    agreed = review.audit.model.found_.probabilities.argmax(axis=1) == review.given
    for place in np.flatnonzero(agreed)[:20].tolist():
        assert not any(one.startswith("But ") for one in row_view(review, place)["reasons"])


def test_a_few_random_rows_give_an_interval_and_no_number(review, truth):
    review.mix(1.0)
    for count in range(1, 6):
        (slot,) = review.next_open(0)
        row = int(review.loaded.rows[review.queue.rows[slot]])
        review.decide(row, "change", truth[row], who="Ann", seen=0)
        told = review.outlook()
        assert (told["wrong"]["count"] is None) == (count < 5)
        assert told["wrong"]["low"] < told["wrong"]["high"]


def test_nearest_rows_are_those_of_brute_force(review):
    X, y = review.loaded.training.X, review.given
    numeric = [j for j in range(X.shape[1]) if j not in review.loaded.schema.categorical]
    points = (X - X.mean(axis=0)) / X.std(axis=0)
    apart = ((points[:, numeric] - points[7, numeric]) ** 2).sum(axis=1)
    apart += np.sum(X[:, list(review.loaded.schema.categorical)] !=
                    X[7, list(review.loaded.schema.categorical)], axis=1)  # fmt: skip
    apart[7] = np.inf
    apart[y != 1] = np.inf
    assert review.evidence.near(7, 1, 4).tolist() == np.argsort(apart)[:4].tolist()


def test_lists_can_be_filtered(review, truth):
    decide(review, truth, 10)
    everything = list_view(review, Filter(), 0, 500)
    assert everything["total"] == 300
    assert [one["wrong"] for one in everything["rows"]] == sorted(review.wrong, reverse=True)
    assert list_view(review, Filter(decision="open"), 0, 5)["total"] == 290
    assert list_view(review, Filter(decision="decided"), 0, 5)["total"] == 10
    sick = list_view(review, Filter(given="sick", column="ward", value="north"), 0, 500)
    assert {one["given"] for one in sick["rows"]} == {"sick"}
    wards = np.array(review.loaded.frame["ward"].to_list())
    assert {wards[one["row"]] for one in sick["rows"]} == {"north"}
    likely = list_view(review, Filter(least=0.9), 0, 500)
    assert likely["total"] == np.sum(review.wrong >= 0.9)
    assert column_values(review, "ward") in (["north", "south"], ["south", "north"])
    assert column_values(review, "nothing") == []


def test_a_bulk_is_shown_before_and_can_be_undone(review):
    wanted = Filter(decision="open", least=0.8, first=15)
    choices, shown = bulk(review, wanted, "suggested")
    assert len(choices) == shown["count"] == 15
    assert sum(one["count"] for one in shown["kinds"]) == 15
    assert {one.kind for one in choices} == {"chosen"}
    assert bulk(review, wanted, "keep")[1]["ticket"] != shown["ticket"]
    review.store.add(choices, "Ann", review.revision)
    review.catch_up()
    assert review.progress().found == 15
    assert review.frontier == 15  # the first of the order, all decided: counted, not estimated
    assert bulk(review, wanted, "suggested")[1]["ticket"] != shown["ticket"]
    assert len(review.undo("Ann")) == 15
    assert review.progress().checked == 0


def test_images_come_from_below_the_tables_folder_only(review):
    assert image(review, 1, "picture")[1] == "image/png"
    assert image(review, 0, "picture") is None  # ../secret.png is there
    assert (review.folder.parent.parent / "secret.png").exists()
    assert image(review, 1, "text") is None
    assert image(review, 1, "nothing") is None
    assert image(review, 99999, "picture") is None
    (review.folder.parent / "pictures" / "a.png").unlink()
    (review.folder.parent / "pictures" / "a.png").symlink_to(
        review.folder.parent.parent / "secret.png"
    )
    assert image(review, 1, "picture") is None


def test_the_share_of_random_rows_can_change(review, truth):
    decide(review, truth, 20)
    before = review.progress()
    review.mix(1.0)
    assert review.progress() == before
    decide(review, truth, 10)
    assert review.progress().drawn >= before.drawn + 10
