"""The page in a real browser: keys, windows, sizes, hostile tables, large ones."""

import shutil
import string

import numpy as np
import pandas as pd
import pytest

from nacre.review.session import Review
from tests.auditing.test_page import BROWSER
from tests.review.conftest import HOSTILE, made_up
from tests.review.serving import serving

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="needs a browser: chromium is not installed"),
]

TIMED = """
async (keys) => {
  const times = [];
  for (const key of keys) {
    const before = performance.now();
    await new Promise((done) => {
      const watch = new MutationObserver(() => { watch.disconnect(); done(); });
      watch.observe(document.body, { attributes: true, attributeFilter: ["data-row"] });
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    });
    times.push(performance.now() - before);
    await new Promise((done) => setTimeout(done, 60));  // a reviewer looks, too
  }
  return times;
}
"""
"""Milliseconds from each key to the next row."""


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as made:
        browser = made.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


class Window:
    """A page, and what went wrong on it."""

    def __init__(self, chromium, address, context=None, **options):
        self.context = context or chromium.new_context(**options)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", self._hear)
        self.page.goto(address)
        self.ready()

    def _hear(self, message):
        if message.type == "error" and "409" not in message.text:
            self.wrong.append(message.text)

    def ready(self):
        self.page.wait_for_selector("body[data-ready=yes]", timeout=60_000)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def row(self):
        return int(self.page.evaluate("document.body.dataset.row"))

    def checked(self, count):
        """Wait until the page says that so many rows are looked at."""
        self.page.wait_for_selector(f"#track[aria-valuenow='{count}']", timeout=60_000)

    def toast(self, words):
        self.page.wait_for_function(
            "(words) => document.getElementById('toast').textContent.includes(words)", arg=words
        )

    def too_wide(self):
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.fixture
def open_page(chromium):
    made = []

    def start(address, **options):
        made.append(Window(chromium, address, **options))
        return made[-1]

    yield start
    for one in made:
        one.context.close()


@pytest.fixture
def window(folder, open_page):
    """A page on the small audit."""
    with serving(folder) as (_, address):
        made = open_page(address)
        yield made
        assert made.wrong == []


def test_two_hundred_rows_by_keys_alone_undo_and_reload(window, folder):
    page = window.page
    assert "token" not in page.url
    for keys in ("sk12u" * 39, "xsksk"):
        window.press(*keys)
    window.checked(200)
    review = Review(folder)
    decided = review.store.after(0)
    assert len({one.row for one in decided}) == 200
    assert {one.verdict for one in decided} == {"keep", "change", "unsure", "exclude"}
    assert sum(one.kind == "random" for one in decided) >= 30
    last = decided[-1].row
    window.press("Backspace")
    window.checked(199)
    assert window.row == last
    assert "Decided" not in page.inner_text("#case")
    window.press("ArrowLeft")
    page.wait_for_function("(last) => document.body.dataset.row !== String(last)", arg=last)
    assert "Decided" in page.inner_text("#case")
    page.reload()
    window.ready()
    window.checked(199)
    assert window.row == last  # goes on where it was
    review.store.close()


def test_a_kill_in_a_burst_loses_nothing(folder, open_page):
    with serving(folder) as (run, address):
        window = open_page(address)
        seen = []
        for k in range(40):
            before = window.row
            window.press("s")
            if k == 25:
                run.kill()
                window.press("s")  # where the one before was just in time, this one is not
                break
            window.page.wait_for_function(
                "(row) => document.body.dataset.row !== String(row)", arg=before
            )
            seen.append(before)  # the next row is there: this one was acknowledged
        window.page.wait_for_selector("#notice:not([hidden])")
        assert "nothing was decided" in window.page.inner_text("#notice")
    review = Review(folder)
    assert {one.row for one in review.store.after(0)} >= set(seen)
    assert len(seen) == 25
    review.store.close()


def test_two_windows_do_not_overwrite_each_other(folder, open_page):
    with serving(folder) as (_, address), serving(folder, who="Ben") as (_, other):
        ann, ben = open_page(address), open_page(other)
        assert ann.row == ben.row
        row = ann.row
        ann.press("s")
        ann.checked(1)
        ben.press("k")
        ben.page.wait_for_selector("#notice:not([hidden])")
        assert "Ann has decided this row meanwhile" in ben.page.inner_text("#notice")
        assert ben.row == row
        ben.page.get_by_role("button", name="Leave it so").click()
        ben.page.wait_for_function("(row) => document.body.dataset.row !== String(row)", arg=row)
        ben.press("u")
        ben.checked(2)
        ann.checked(2)
        review = Review(folder)
        assert [one.who for one in review.store.after(0)] == ["Ann", "Ben"]
        review.store.close()
        assert ann.wrong == ben.wrong == []


def test_the_list_its_filters_and_a_bulk(window):
    page = window.page
    window.press("l")
    page.wait_for_selector("#lines tbody tr")
    assert page.inner_text("#found") == "50 of 300 rows"
    page.get_by_label("Given").select_option("sick")
    page.wait_for_function("() => !document.getElementById('found').textContent.includes('300')")
    assert set(page.locator("#lines td.given").all_inner_texts()) == {"sick"}
    page.get_by_label("Column").select_option("ward")
    page.get_by_label("holds").select_option("north")
    page.get_by_label("Percent").fill("80")
    page.get_by_label("Rows at most").fill("7")
    page.get_by_role("button", name="Show what would be done").click()
    page.wait_for_selector("#apply")
    assert "7 rows: sick → well" in page.inner_text("#preview")
    page.click("#apply")
    window.checked(7)
    page.wait_for_selector("#preview", state="hidden")
    page.locator("#lines").first.click()
    window.press("Backspace")
    window.checked(0)
    page.get_by_role("button", name="Look at row").first.click()
    page.wait_for_selector("#row-view:not([hidden])")
    window.press("s")
    window.checked(1)


def test_learning_and_writing(window, folder):
    window.press(*"ssssksssss")
    window.checked(10)
    window.press("a")
    window.page.wait_for_function(
        "() => document.getElementById('learned').textContent.startsWith('Learned from')",
        timeout=60_000,
    )
    window.press("w")
    window.page.wait_for_function(
        "() => document.getElementById('wrote').textContent.includes('csv')"
    )
    assert (folder / "corrected.csv").exists()
    window.page.get_by_label("Random rows").select_option("1")
    window.page.wait_for_selector(".badge.random")


def test_help_and_mouse(window):
    page = window.page
    window.press("?")
    page.get_by_role("dialog").wait_for()
    window.press("k")
    page.get_by_role("button", name="Close").click()
    row = window.row
    page.get_by_role("button", name="Keep").click()
    window.checked(1)
    page.get_by_role("button", name="Undo the last decision").click()
    window.checked(0)
    assert window.row == row
    page.get_by_role("button", name="Label it well").click()
    window.checked(1)


def serious(page):
    """Problems that axe-core finds for those who cannot see the page, serious ones and worse."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-core")
    found = axe.Axe().run(page).response["violations"]
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(
    ("width", "scheme"), [(1360, "light"), (1360, "dark"), (800, "light"), (360, "dark")]
)
def test_narrow_and_wide_light_and_dark(shared, open_page, width, scheme):
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    window = open_page(shared(), bypass_csp=True, **options)  # for axe's script
    page = window.page
    for key in ("", "l"):
        if key:
            window.press(key)
            page.wait_for_selector("#lines tbody tr")
        page.wait_for_timeout(300)
        assert window.too_wide() <= 0
        assert serious(page) == []
    window.press("l", "?")
    page.wait_for_timeout(200)
    assert serious(page) == []
    window.press("Escape")
    keep = page.get_by_role("button", name="Keep").bounding_box()
    assert keep["y"] + keep["height"] <= 800  # at hand without scrolling
    page.goto(page.url.split("/?")[0].rstrip("/") + "/certificate")
    assert serious(page) == []
    assert window.too_wide() <= 0
    assert window.wrong == []


@pytest.fixture(scope="module")
def shared(audited, tmp_path_factory, chromium):
    """A server for pages that change nothing; each call is an address for one more browser."""
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(audited, folder / "data")
    with serving(folder / "data" / "cases-audit") as (_, address):
        first = Window(chromium, address)

        def invite():
            told = first.page.evaluate(
                "fetch('/api/invite', {method: 'POST', body: '{}', headers: "
                "{'content-type': 'application/json'}}).then((reply) => reply.json())"
            )
            return f"{address.split('?')[0]}?token={told['token']}"

        yield invite
        first.context.close()


def test_hostile_cells_are_text(shared, open_page):
    window = open_page(shared())
    page = window.page
    for _ in range(14):
        row = window.row
        shown = " ".join(page.locator("#row-view").text_content().split())
        assert " ".join(f"{HOSTILE[row % len(HOSTILE)]} {row}".split()) in shown
        window.press("ArrowRight")
        page.wait_for_function("(row) => document.body.dataset.row !== String(row)", arg=row)
    window.press("l")
    page.wait_for_selector("#lines tbody tr")
    assert page.evaluate("window.hacked ?? null") is None
    assert window.wrong == []


def test_text_in_full_and_images(shared, open_page):
    window = open_page(shared())
    page = window.page
    while window.row % 2 == 0:
        window.press("ArrowRight")
        page.wait_for_timeout(200)
    note = page.get_by_role("group", name="note").inner_text()
    assert len(note) > 10_000
    assert page.wait_for_function("() => document.querySelector('#media img')?.naturalWidth === 1")
    assert window.wrong == []


def test_a_page_of_another_origin_cannot_reach_in(shared, open_page):
    window = open_page(shared())
    address = window.page.url
    window.page.goto("data:text/html,<title>evil</title>")
    said = window.page.evaluate(
        """(address) => fetch(address + "api/decide", {method: "POST", credentials: "include",
        mode: "no-cors", body: JSON.stringify({row: 1, verdict: "keep"})})
        .then((reply) => reply.type, (error) => "refused")""",
        address,
    )
    assert said in ("opaque", "refused")
    window.page.goto(address)
    window.ready()
    window.checked(0)


def test_a_thousand_columns_and_ten_thousand_characters(tmp_path, open_page):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 1000)), columns=[f"c {j}" for j in range(1000)])
    frame["essay"] = [f"{i} " + string.ascii_letters * 200 for i in range(60)]
    frame["kind"] = [f"kind {i % 12}" for i in range(60)]
    with serving(made_up(tmp_path, frame, "kind")) as (_, address):
        window = open_page(address, viewport={"width": 900, "height": 800})
        page = window.page
        assert window.too_wide() <= 0
        assert page.locator("#values > div").count() == 100
        page.get_by_role("button", name="more columns").click()
        page.wait_for_function("() => document.querySelectorAll('#values > div').length > 900")
        window.press("3")
        window.checked(1)
        times = page.evaluate(TIMED, list("sksksksk"))
        assert np.min(times) < 300  # a machine may be busy with other things
        assert window.wrong == []


def test_a_hundred_thousand_suspects(tmp_path, open_page):
    """Under a tenth of a second a decision."""
    n = 100_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 10)).round(3), columns=[f"c {j}" for j in range(10)])
    frame["kind"] = rng.choice(["a", "b", "c"], n)
    with serving(made_up(tmp_path, frame, "kind")) as (_, address):
        window = open_page(address)
        window.press("s")
        window.checked(1)
        times = window.page.evaluate(TIMED, list("skus" * 10))
        print(f"a decision takes {np.median(times):.0f} ms, {np.max(times):.0f} at most")
        assert np.min(times) < 100  # a machine may be busy with other things
        window.press("l")
        window.page.wait_for_selector("#lines tbody tr")
        assert "100\u202f000" not in window.page.inner_text("#found")
        window.page.locator("#filters select[name=decision]").select_option("")
        window.page.wait_for_function(
            "() => document.getElementById('found').textContent.includes('100\u202f000')"
        )
        assert window.wrong == []
