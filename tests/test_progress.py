"""Progress: events that nest, tallies that threads share, lines with the time left."""

import io
from concurrent.futures import ThreadPoolExecutor

import pytest

from nacre.progress import Event, PrintProgress, Stage, Tally, duration, each, silent, within


@pytest.mark.parametrize(
    ("event", "words", "fraction", "ended"),
    [
        (Event("Reading"), "Reading", None, False),
        (Event("fold", 0, 5), "fold 1 of 5", 0.0, False),
        (Event("fold", 5, 5), "fold 5 of 5", 1.0, True),
        (Event("cell", 0, 0), "cell 0 of 0", 1.0, True),
        (Event("member", 2, 8, Event("Learning")), "Learning: member 3 of 8", 0.25, False),
        (
            Event("round", 9, 10, Event("member", 1, 2, Event("fold", 3, 4))),
            "fold 4 of 4: member 2 of 2, round 10 of 10",
            (3 + (1 + 0.9) / 2) / 4,
            False,
        ),
        (Event("round", 10, 10, Event("fold", 3, 4)), "fold 4 of 4: round 10 of 10", 1.0, False),
        (Event("Binning", outer=Event("fold", 1, 4)), "fold 2 of 4: Binning", 0.25, False),
    ],
)
def test_what_an_event_says(event, words, fraction, ended):
    assert str(event) == words
    assert event.fraction == (None if fraction is None else pytest.approx(fraction))
    assert event.ended == ended


def test_each_item_is_reported_before_its_turn():
    heard = []
    for item in each("abc", "letter", heard.append):
        heard.append(item)
    zero, one, two, end = (Event("letter", done, 3) for done in range(4))
    assert heard == [zero, "a", one, "b", two, "c", end]


def test_work_within_work():
    heard = []
    outer = within(Event("fold", 1, 5), within(Event("Judging"), heard.append))
    outer(Event("round", 3, 10, Event("member", 0, 2)))
    (event,) = heard
    assert [one.what for one in event.path] == ["Judging", "fold", "member", "round"]
    silent(event)


def test_a_tally_that_threads_share():
    heard = []
    tally = Tally("member", 100, heard.append, done=20)

    def work(member):
        tally.part(Event("round", 1, 2))
        tally.step()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(80)))
    steps = [event for event in heard if event.outer is None]
    assert [event.done for event in steps] == list(range(20, 101))
    assert tally.done == 100
    parts = [event for event in heard if event.outer is not None]
    assert len(parts) == 80
    assert {event.outer.what for event in parts} == {"member"}


def test_what_a_callback_raises_ends_the_work():
    def stop(event):
        if event.done == 2:
            raise KeyboardInterrupt

    worked_on = each(range(5), "fold", stop)
    assert [next(worked_on), next(worked_on)] == [0, 1]
    with pytest.raises(KeyboardInterrupt):
        next(worked_on)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_time_left_is_that_at_the_pace_so_far():
    clock = Clock()
    stage = Stage(clock)
    assert stage.hear(Event("cell", 50, 100))  # 50 were there before
    assert stage.seconds_left is None
    clock.now = 20.0
    assert not stage.hear(Event("cell", 60, 100))
    assert stage.seconds_left == pytest.approx(80.0)


def test_a_fraction_never_goes_back():
    stage = Stage()
    for done, fraction in ((10, 0.1), (90, 0.9), (40, 0.9)):  # two members side by side
        assert stage.hear(Event("round", done, 100, Event("member", 0, 1))) == (done == 10)
        assert stage.fraction == pytest.approx(fraction)


def test_the_same_work_again_begins_anew():
    stage = Stage()
    heard = [stage.hear(Event("fold", done, 2)) for done in (0, 1, 2, 2, 0, 1)]
    assert heard == [True, False, False, False, True, False]
    assert stage.hear(Event("Writing"))
    assert stage.fraction is None


def test_printed_lines():
    file = io.StringIO()
    progress = PrintProgress(every=1e9, file=file)
    progress(Event("Reading the table"))
    for _ in each(range(3), "fold", within(Event("Judging"), progress)):
        pass
    assert file.getvalue() == "Reading the table\nJudging: fold 1 of 3\nJudging: fold 3 of 3\n"


def test_printed_lines_have_the_time_left(capsys):
    progress = PrintProgress(every=0.0)
    for _ in each(range(3), "fold", progress):
        pass
    first, second, third, end = capsys.readouterr().err.splitlines()
    assert (first, end) == ("fold 1 of 3", "fold 3 of 3")
    assert second.startswith("fold 2 of 3, ")
    assert third.endswith(" s left")


def test_durations():
    assert [duration(s) for s in (0.04, 119, 120, 7199, 9000)] == [
        "0.0 s", "119.0 s", "2.0 min", "120.0 min", "2.5 h",
    ]  # fmt: skip
