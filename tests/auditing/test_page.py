"""The page: parsed, and driven in a browser where there is one."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.auditing.page import percent, render, whole
from tests.auditing.summaries import make_summary

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><img src=x onerror='window.hacked = 1'>",
    "\" onmouseover='window.hacked = 1' x=\"",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}{% raw %}",
    "שלום עולם \u202e right to left",
    "column [with] (brackets) & spaces",
    "x" * 10_000,
)

VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """Elements, their attributes and their text; raises where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append((self.open[-1] if self.open else None, data))

    def inside(self, *tags):
        return [data for tag, data in self.text if tag in tags]

    def count(self, tag, **attributes):
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return sum(one == tag and wanted.items() <= found.items() for one, found in self.elements)


def readable(page):
    text = "".join(data for tag, data in page.text if tag not in ("script", "style"))
    return re.sub(r"[ \n]+", " ", text)


def test_the_summary_comes_first():
    text = readable(Page(render(make_summary(trusted=100, unlabelled=30))))
    assert text.index("10.2\u202f%") < text.index("60") < text.index("Which labels go wrong")
    for words in ("8.0\u202f% to 13.0\u202f%", "100 trusted labels", "30 without a label",
                  "Against the trusted labels", "an identifier"):  # fmt: skip
        assert words in text


def test_nothing_comes_from_elsewhere():
    text = render(make_summary())
    page = Page(text)
    assert not re.search(r"https?:|url\(|@import|<iframe", text)
    assert "default-src 'none'" in text
    for _, attributes in page.elements:
        assert not attributes.get("src")
        assert attributes.get("href", "#").startswith(("#", "data:,"))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(text):
    harmless = Page(render(make_summary(text="plain", id="plain")))
    page = Page(render(make_summary(text=text, id=text)))
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in harmless.elements]
    assert not any(name.startswith("on") for _, found in page.elements for name in found)
    values = json.loads(page.inside("script")[0])
    assert values["columns"][0] == text == values["rows"][0][0] == values["near"][0]["values"][0]
    assert values["evidence"][0]["columns"][0][0] == text
    if len(text) > 1000:
        assert all(len(data) <= 601 for data in page.inside("bdi", "td", "th", "li", "h1"))
        assert page.count("bdi", title=text) > 0
    else:
        assert text[:20] in "".join(page.inside("bdi"))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_any_text_leaves_the_page_whole(text):
    page = Page(render(make_summary(text=text, suspects=2)))
    assert page.count("table", id="list") == 1


def test_no_suspects_many_classes_and_one_column():
    none = make_summary(suspects=0)
    none["quality"]["flagged"] = [0] * 20
    page = Page(render(none))
    assert page.count("table", id="list") == 0
    assert "No label is doubtful enough to be looked at" in readable(page)
    many = Page(render(make_summary(classes=[f"class {k}" for k in range(30)], columns=["one"])))
    assert "The likeliest mistakes, of all 30 classes" in readable(many)
    assert many.count("i") == 900
    more = Page(render(make_summary(classes=[f"class {k}" for k in range(61)])))
    assert more.count("i") == 0
    assert "1 column used" in readable(many)


def test_the_best_of_each_metric_stands_out():
    """Which need not be ours: a worse log loss was shown as if it were better."""
    summary = make_summary()
    for model, accuracy, loss in zip(
        summary["metrics"]["models"], (0.95, 0.9, 0.91), (0.7, 0.6, 0.4), strict=True
    ):
        model["given"] = {
            "accuracy": {"mean": accuracy, "error": 0.01},
            "log_loss": {"mean": loss, "error": 0.01},
        }
    best = re.findall(r'<td class="num best">([\d.]+)', render(summary))
    assert best == ["95.0", "0.400"]


def test_shades_of_the_noise_matrix():
    """Off the diagonal they are relative to the largest there."""
    summary = make_summary()
    summary["noise"]["matrix"] = [[0.9, 0.1], [0.05, 0.95]]
    shades = re.findall(r'<td class="(\w+)" style="--heat: (\d+)%">', render(summary))
    assert shades == [("kept", "27"), ("moved", "60"), ("moved", "30"), ("kept", "28")]


def test_long_names_of_classes_are_cut_where_they_differ():
    """They were cut at the end: forty departments of one name."""
    classes = [f"department of internal medicine, ward {k:02}" for k in range(40)] + ["short"]
    page = render(make_summary(classes))
    said = re.findall(r'<span class="line"><bdi[^>]*>([^<]*)<', page)
    assert len(set(said)) == 41
    assert max(map(len, said)) == 12
    assert (said[7], said[40]) == ("departmen…07", "short")
    given = set(re.findall(r'class="given"><bdi[^>]*>([^<]*)<', page))
    assert "department of interna…07" in given
    assert max(map(len, given)) == 24


def test_a_list_that_is_cut_says_so():
    summary = make_summary(suspects=40)
    summary["suspects"]["count"] = 12_345
    assert "The 40 most suspect of 12\u202f345 rows" in readable(Page(render(summary)))


def test_numbers_are_written_for_people():
    assert (percent(0.1234), percent(1.0, 0)) == ("12.3\u202f%", "100\u202f%")
    assert (whole(999), whole(1_234_567)) == ("999", "1\u202f234\u202f567")


DRIVER = """
const said = {errors: []};
addEventListener("error", (event) => said.errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => said.errors.push(event.violatedDirective));
addEventListener("load", () => {
  const shown = () => [...document.querySelectorAll("#list tbody:not([hidden])")];
  const value = (body, key) => body.querySelector(`[data-key="${key}"]`).dataset.value;
  const column = (key) => shown().map((body) => value(body, key));
  const press = (key) => document.querySelector(`th button[data-key="${key}"]`).click();
  const search = document.getElementById("search");
  const type = (words) => { search.value = words; search.dispatchEvent(new Event("input")); };
  said.first = shown().length;
  document.getElementById("further").click();
  said.more = shown().length;
  press("row"); said.up = column("row").map(Number);
  said.sorted = document.querySelector("[aria-sort=ascending] button").dataset.key;
  press("row"); said.down = column("row").map(Number);
  press("given"); said.given = column("given");
  type("MALIGNANT " + said.up[3]); said.found = column("row").map(Number);
  type("nothing of the kind"); said.none = shown().length;
  said.status = document.getElementById("status").textContent;
  const found = (words) => { type(words); return column("row").map(Number); };
  said.searched = Object.fromEntries(__QUERIES__.map((words) => [words, found(words)]));
  type("");
  const cell = document.querySelector("button[data-true='0'][data-given='1']");
  if (cell) {
    cell.click();
    said.pair = [[...new Set(column("given"))], [...new Set(column("suggested"))]];
    said.chip = document.getElementById("filter").textContent;
    document.getElementById("filter").click();
  }
  said.unfiltered = shown().length;
  const first = document.getElementById("first");
  first.value = 5; first.dispatchEvent(new Event("input"));
  said.slid = [shown().length, document.getElementById("expected").textContent];
  first.value = first.max; first.dispatchEvent(new Event("input"));
  said.bars = [...shown()[0].querySelectorAll("svg.why rect")].map((one) => one.className.baseVal);
  said.why = shown()[0].querySelector("svg.why")?.textContent;
  const button = document.querySelector("#list tbody button");
  button.click();
  said.values = [...document.querySelectorAll(".values dt")].map((one) => one.textContent);
  said.near = [...document.querySelectorAll(".values .near")].map((one) => one.textContent);
  said.open = button.getAttribute("aria-expanded");
  button.click();
  said.closed = document.querySelectorAll(".values").length;
  said.hacked = window.hacked ?? null;
  said.wide = document.documentElement.scrollWidth - innerWidth;
  const over = (one) => one.scrollWidth - one.clientWidth;
  said.cut = [...document.querySelectorAll(".scroll")].map(over);
  const told = "RESULT" + JSON.stringify(said) + "END";
  if (parent === window) document.body.textContent = told;
  else parent.postMessage(told, "*");
});
"""


NARROW = """<body><script>
addEventListener("message", (one) => document.body.textContent = one.data);
</script><iframe src="page.html" style="border: 0; width: {width}px; height: 900px"></iframe>
</body>"""
"""No window of a browser is as narrow as a telephone, but a frame can be."""


def drive(page, folder, width=1280, queries=()):
    """What the page does under a hand that presses, types and looks; its policy stays in force."""
    file = folder / "page.html"
    driver = DRIVER.replace("__QUERIES__", json.dumps(list(queries)))
    page = page.replace("script-src", f"script-src 'sha256-{digest(driver)}'")
    page = page.replace("<style>", f"<script>{driver}</script><style>")
    file.write_text(page, encoding="utf-8")
    if width < 600:
        file = folder / "narrow.html"
        file.write_text(NARROW.replace("{width}", str(width)), encoding="utf-8")
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"]
    words += ["--virtual-time-budget=10000", "--dump-dom", file.as_uri()]
    run = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return json.loads(html.unescape(re.search(r"<body>RESULT(.*)END</body>", run.stdout).group(1)))


def digest(script):
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@pytest.mark.skipif(BROWSER is None, reason="needs a browser: chromium is not installed")
def test_sorting_searching_and_opening(tmp_path):
    said = drive(render(make_summary(suspects=60)), tmp_path)
    assert said["errors"] == []
    assert (said["first"], said["more"]) == (25, 60)
    assert said["up"] == sorted(said["up"])
    assert said["down"] == said["up"][::-1]
    assert said["sorted"] == "row"
    assert said["given"] == sorted(said["given"])
    assert said["up"][3] in said["found"]
    assert (said["none"], said["status"]) == (0, "0 of 0 rows")
    assert said["values"] == ["radius", "texture"]
    assert said["near"] == ["7.25", "7.25"]
    assert (said["open"], said["closed"]) == ("true", 0)
    assert said["wide"] <= 0


@pytest.mark.skipif(BROWSER is None, reason="needs a browser: chromium is not installed")
def test_bars_slider_and_the_cells_of_the_noise_matrix(tmp_path):
    summary = make_summary(("a", "b", "c"), suspects=30)
    said = drive(render(summary), tmp_path)
    assert said["errors"] == []
    assert said["bars"] == ["for", "against", "for"]  # two columns and all else
    assert "together 3.5 to 1 for b" in said["why"]
    assert said["pair"] == [["b"], ["a"]] or said["pair"] == [[], []]
    assert said["chip"] == "truly a, labelled as b ✕"
    assert said["unfiltered"] == 25
    wrong = round(sum(one["score"] for one in summary["suspects"]["rows"][:5]))
    assert said["slid"] == [5, f"5: about {wrong} wrong labels found, of about 58 in the table"]


@pytest.mark.skipif(BROWSER is None, reason="needs a browser: chromium is not installed")
def test_searching_words_numbers_and_columns(tmp_path):
    summary = make_summary(suspects=4, columns=("age", "home town"))
    told = [(12, "New York"), (120, "York"), (12.5, "Yorkshire"), (None, "Bath, new")]
    for one, values in zip(summary["suspects"]["rows"], told, strict=True):
        one.update(values=list(values), reasons=["Why."])
    rows = [one["row"] for one in summary["suspects"]["rows"]]
    wanted = {
        "york": [0, 1, 2],  # words from their beginning on
        "ork": [],
        '"new york"': [0],
        "12 york": [0],  # numbers are whole
        "-yorkshire york": [0, 1],
        "age:>12": [1, 2],
        "age:12": [0],
        "age:12..20": [0, 2],
        '"home town":bath': [3],
        '"home town":=york': [1],
        "given:malignant": [1, 3],
        "no:such": [],
    }
    said = drive(render(summary), tmp_path, queries=wanted)
    assert said["errors"] == []
    found = {words: sorted(some) for words, some in said["searched"].items()}
    assert found == {words: sorted(rows[k] for k in some) for words, some in wanted.items()}


@pytest.mark.skipif(BROWSER is None, reason="needs a browser: chromium is not installed")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("classes", [4, 12, 40])
def test_no_table_loses_its_right_edge(tmp_path, width, classes):
    names = ("adenocarcinoma of lung", "squamous cell carcinoma", "small cell", "benign, likely")
    names += tuple(f"class number {k}" for k in range(4, classes))
    said = drive(render(make_summary(names, unlabelled=30)), tmp_path, width)
    assert said["errors"] == []
    assert len(said["cut"]) == 5
    assert max(said["cut"]) <= 0
    assert said["wide"] <= 0


@pytest.mark.skipif(BROWSER is None, reason="needs a browser: chromium is not installed")
def test_hostile_text_does_nothing_in_a_browser(tmp_path):
    text = "".join(HOSTILE)
    said = drive(render(make_summary(text=text, id=text, suspects=30)), tmp_path)
    assert said["errors"] == []
    assert said["hacked"] is None
    assert said["values"][0] == text[:200] + "…"
    assert said["wide"] <= 0


@pytest.mark.slow
def test_jinja_is_asked_for_when_it_is_needed():
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "try: from nacre import audit\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("needs one more package: pip install 'nacre-boost[report]'\n")
