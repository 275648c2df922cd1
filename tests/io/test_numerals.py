import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.io.numerals import Numerals, find_numerals

nan = np.nan


def found(*texts, **options):
    """The numbers that texts stand for, and what was in doubt."""
    words = pa.array(texts, pa.large_string())
    numerals, doubt = find_numerals(words, np.ones(len(texts)), **options)
    return numerals.values(words), doubt


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["$61,017.00", "$5.5", "-$3", "$-3", "($1,200)"], [61017, 5.5, -3, -3, -1200]),
        (["35.000 EUR", "388 EUR", "1.250 EUR"], [35000, 388, 1250]),
        (["€ 1.960,50", "EUR 12", "7,1 Euro"], [1960.5, 12, 7.1]),
        (["1.960,50", "388", "27,079"], [1960.5, 388, 27.079]),
        (["59.2%", "3 %", "0.5"], [59.2, 3, 0.5]),
        (["1 234,5", "1\u202f234\u00a0567", "12\u2019345"], [1234.5, 1234567, 12345]),
        (["1,00,000.50", "12,34,567", "5"], [100000.5, 1234567, 5]),
        (["1e5", "-2.5E-3", "+7", "\u22125"], [1e5, -2.5e-3, 7, -5]),
        ([".5", "5.", "0.25"], [0.5, 5, 0.25]),
        (["77.1 kg", "500 g", "2 t"], [77.1, 0.5, 2000]),
        (["180 cm", "1.75 m", "6 ft"], [1.8, 1.75, 1.8288]),
        (["90 min", "2 h", "1 day"], [1.5, 2, 24]),
        (["1.2k", "950", "3M"], [1200, 950, 3e6]),
        (["€110.5M", "€565K", "€0"], [110.5e6, 565e3, 0]),
        (["$1.2B", "$3m", "-$40k", "$7", "0"], [1.2e9, 3e6, -40e3, 7, 0]),
        (["1,5 Mio. €", "800 k€", "2 Mrd. Euro"], [1.5e6, 8e5, 2e9]),
        (["€1.125M", "€2.375M", "€5M", "$1M"], [1.125e6, 2.375e6, 5e6, nan]),
        (["$5", "$7", "€5M", "8 kg"], [5, 7, nan, nan]),
        (["12 pcs", "1 pc", "3 Pcs."], [12, 1, 3]),
        (["4 stars", "1 star", "5 stars"], [4, 1, 5]),
        (["1.960,50-", "388,00", "7,25- EUR"], [-1960.5, 388, -7.25]),
        (["$(1,200.50)", "$ (3.10)", "(5.25 $)", "$7"], [-1200.5, -3.1, -5.25, 7]),
        (["\u20133.5", "7.25", "-1.5"], [-3.5, 7.25, -1.5]),
        (["12,-", "1.200,-- \u20ac", "\u20ac 7,\u2013", "3,50"], [12, 1200, 7, 3.5]),
        (["12.-", "1'200.\u2013", "3.50"], [12, 1200, 3.5]),
        (["1", "1-", "2-", "2"], [1, nan, nan, 2]),
        (["%37,5", "%1,7", "%0"], [37.5, 1.7, 0]),
        (["< 1 year", "1 year", "2 years", "10+ years"], [1 - 1e-6, 1, 2, 10]),
        (["88", "89", "90+", "$5+"], [88, 89, 90, 5]),
        (["8", "8.5", "8½", "10³"], [8, 8.5, nan, nan]),
        (["≥3", "~7", "ca. 8", "<= 2"], [3, 7, 8, 2]),
        (["388 EUR", "400 EUR", "500 USD"], [388, 400, nan]),
        (["77 kg", "80 kg", "1.80 m"], [77, 80, nan]),
        (["0,6369616873214543", "-1,169801907772864"], [0.6369616873214543, -1.169801907772864]),
        (["0.30000000000000004", "63.69616873214543%", "-"], [0.3, 63.69616873214543, nan]),
        (["1.5", "2.5", "192.168.1.1", "17.01.2023", "15:08", "5-10"], [1.5, 2.5, *[nan] * 4]),
    ],
    ids=str,
)  # fmt: skip
def test_numbers_as_people_write_them(texts, values):
    assert_allclose(found(*texts)[0], values, rtol=1e-12)


def test_infinite_numbers_are_read_as_such():
    values, _ = found("inf", "-Infinity", "1e400", "<1e400", "-1e400", "1.5", "infant")
    assert_allclose(values, [np.inf, -np.inf, np.inf, np.inf, -np.inf, 1.5, nan])


def test_a_mark_before_an_exponent_is_that_of_decimals():
    values, doubt = found("2,374E+00", "2,399E+07", "7,880E-01")
    assert_allclose(values, [2.374, 2.399e7, 0.788])
    assert doubt == ""
    values, doubt = found("2,374E+00", "27.079", "12")
    assert_allclose(values, [2.374, 27079, 12])
    assert doubt == "'27.079' is read as '2,374' is"


@pytest.mark.parametrize(
    ("texts", "units"),
    [
        (["39.4°C", "38.1°C", "37°c"], {"", "°C"}),
        (["3 kWh", "7 kWh"], {"", "kWh"}),
        (["3 MB.", "7 MB."], {"", "MB."}),
        (["3 glasses", "4 glasses", "1 glass"], {"", "glasses"}),
        (["2", "3", "5more"], {""}),
        (["2", "3", "5%"], {"", "%"}),
        (["2", "3", "5 EUR"], {"", "EUR"}),
        (["3 Stars", "4 Stars", "1 star"], {"", "Stars"}),
        (["5 V", "7 V", "12 v"], {"", "V"}),
        (["887.80 S", "602.96 H", "391.59 S"], {"", "S"}),
    ],
    ids=str,
)
def test_units(texts, units):
    words = pa.array(texts, pa.large_string())
    numerals, _ = find_numerals(words, np.ones(len(texts)))
    assert set(dict(numerals.units)) == units
    beside = [any(one in text for one in units if one) for text in texts]
    assert not np.isnan(numerals.values(words)[beside]).any()


def test_money_without_a_sign_is_noted():
    assert found("€110.5M", "5", "€0")[1] == (
        "'5' is taken for 5 EUR, though there is no EUR beside it"
    )


def test_names_of_units_in_earlier_files_are_understood():
    words = pa.array(["39.4°C", "2 °c"], pa.large_string())
    assert_allclose(Numerals(units=(("", 1.0), ("°c", 1.0))).values(words), [39.4, 2])
    words = pa.array(["3 glass"], pa.large_string())
    assert_allclose(Numerals(units=(("glas", 1.0),)).values(words), [3])


def test_bounds_keep_their_order():
    values, _ = found("<5", "5", ">5", "> 100", "100", "<0", "0")
    assert values[0] < values[1] < values[2] < values[4] < values[3]
    assert values[5] < values[6]
    assert_allclose(values, [5, 5, 5, 100, 100, 0, 0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("texts", "value", "says"),
    [
        (["27,079", "1,5"], 27.079, "'27,079' is read as '1,5' is"),
        (["27,079", "0,125"], 27.079, "as '0,125' is"),
        (["27,079", "1,234,567"], 27079, "as '1,234,567' is"),
        (["27,079", "1,234.5"], 27079, "as '1,234.5' is"),
        (["27.079", "1.960,50"], 27079, "as '1.960,50' is"),
        (["27,079 USD", "13,125 USD"], 27079, "money has no three decimals"),
        (["27.079 €", "13.125 €"], 27079, "money has no three decimals"),
        (["27,079", "388", "13,500"], 27079, "as '388' and others below 1000 have none"),
        (["27.079", "388", "13.500"], 27079, "as '388' and others below 1000 have none"),
        (["27,079", "1500"], 27.079, "as '1500' has no mark between thousands"),
        (["27,079", "13,500"], 27079, "'27,079' is taken for 27079, .* that it is not 27.079"),
        (["27.079", "13.500"], 27.079, "'27.079' is taken for 27.079, .* that it is not 27079"),
        (["27,079", "388", "13,125"], 27079, "though nothing tells"),
        (["27,079", "1.234"], 27079, "though nothing tells"),
    ],
    ids=str,
)
def test_thousands_or_decimals_by_all_of_the_column(texts, value, says):
    values, doubt = found(*texts)
    assert values[0] == value
    assert re.search(says, doubt)


def test_somebody_may_say_which():
    assert found("27,079", "13,500", decimal=",")[0].tolist() == [27.079, 13.5]
    assert found("27.079", "13.500", decimal=",")[0].tolist() == [27079, 13500]


def test_most_rows_decide_where_marks_contradict_each_other():
    words = pa.array(["1,5", "2.5", "27,079"], pa.large_string())
    for counts, mark, values in (
        ([9, 1, 1], ",", [1.5, nan, 27.079]),
        ([1, 9, 1], ".", [nan, 2.5, 27079]),
    ):
        numerals, _ = find_numerals(words, np.array(counts))
        assert numerals.decimal == mark
        assert_allclose(numerals.values(words), values)


@pytest.mark.parametrize("texts", [["007", "12"], ["01234"], ["1234567890123456"], ["x", "y"]])
def test_codes_and_words_are_no_numbers(texts):
    assert find_numerals(pa.array(texts, pa.large_string()), np.ones(len(texts))) is None


def test_a_rule_is_kept_to():
    words = pa.array(["5 kg", "5 lb", "1.960,5", "1,5", "5"], pa.large_string())
    in_kg = Numerals(",", (("", 1.0), ("kg", 1.0)))
    assert_allclose(in_kg.values(words), [5, nan, 1960.5, 1.5, 5])


@given(st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1), st.sampled_from(".,"))
def test_marked_numbers_come_back(values, decimal):
    """Those with marks between thousands and two decimals, in both conventions."""
    texts = [f"{value:,.2f}" for value in values]
    if decimal == ",":
        texts = [text.translate(str.maketrans(",.", ".,")) for text in texts]
    numbers, _ = found(*texts, codes=True)
    assert_allclose(numbers, [float(value) for value in values])
