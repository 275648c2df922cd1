"""UCI sets that hold every combination of their features, labelled by a rule: made, not loaded.

Car and nursery come from small hierarchical decision models. The tables below restore all of their
rows; intermediate concepts bear the names the models gave them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from nacre.datasets.dataset import Dataset, from_text

WEIGHTS = "1 2 3 4 5"
BALANCE = {
    "left_weight": WEIGHTS,
    "left_distance": WEIGHTS,
    "right_weight": WEIGHTS,
    "right_distance": WEIGHTS,
}

CAR = {
    "buying": "vhigh high med low",
    "maint": "vhigh high med low",
    "doors": "2 3 4 5more",
    "persons": "2 4 more",
    "lug_boot": "small med big",
    "safety": "low med high",
}
PRICE = {  # by buying; letters by maint from low to vhigh: Low, Medium, High, Very high
    "low": "LLMH",
    "med": "LMHH",
    "high": "HHHV",
    "vhigh": "HHVV",
}
ACCEPTANCE = {  # by price; of no, little, some and much technical merit
    "L": ("unacc", "acc", "good", "vgood"),
    "M": ("unacc", "acc", "acc", "vgood"),
    "H": ("unacc", "unacc", "acc", "acc"),
    "V": ("unacc", "unacc", "unacc", "unacc"),
}

NURSERY = {
    "parents": "usual pretentious great_pret",
    "has_nurs": "proper less_proper improper critical very_crit",
    "form": "complete completed incomplete foster",
    "children": "1 2 3 more",
    "housing": "convenient less_conv critical",
    "finance": "convenient inconv",
    "social": "nonprob slightly_prob problematic",
    "health": "recommended priority not_recom",
}
EMPLOYMENT = {  # by parents; figures by has_nurs
    "usual": (3, 2, 2, 1, 0),
    "pretentious": (2, 2, 1, 0, 0),
    "great_pret": (1, 1, 0, 0, 0),
}
STRUCTURE = {  # by form; figures by children
    "complete": (0, 1, 2, 2),
    "completed": (1, 1, 2, 2),
    "incomplete": (1, 2, 2, 2),
    "foster": (2, 2, 2, 2),
}
IN_HEALTH = (  # by employment; ranks by home
    ("priority", "priority", "spec_prior"),
    ("priority", "priority", "priority"),
    ("very_recom", "very_recom", "priority"),
    ("recommend", "very_recom", "priority"),
)
IN_NEED = (
    ("priority", "spec_prior", "spec_prior"),
    ("priority", "priority", "spec_prior"),
    ("priority", "priority", "priority"),
    ("priority", "priority", "priority"),
)


def balance() -> Dataset:
    """Balance scale: 625 states of a beam, which tips left or right or is balanced."""

    def tips(left: str, at_left: str, right: str, at_right: str) -> str:
        pull = int(left) * int(at_left) - int(right) * int(at_right)
        return "L" if pull > 0 else "R" if pull < 0 else "B"

    return _all_rows("balance-scale", BALANCE, tips)


def car() -> Dataset:
    """Car evaluation: 1728 cars, from unacceptable to very good."""
    from_low = CAR["maint"].split()[::-1]

    def judge(buying: str, maint: str, doors: str, persons: str, boot: str, safety: str) -> str:
        comfort = _comfort(doors, persons, CAR["lug_boot"].split().index(boot))
        price = PRICE[buying][from_low.index(maint)]
        if comfort == 0 or safety == "low":
            return ACCEPTANCE[price][0]
        return ACCEPTANCE[price][comfort + (safety == "high")]

    return _all_rows("car", CAR, judge)


def _comfort(doors: str, persons: str, boot: int) -> int:
    """None, some or much (0, 1, 2), by the size of the boot."""
    if persons == "2":
        return 0
    if persons == "4":
        return (1, 1, 2)[boot] if doors in ("2", "3") else (1, 2, 2)[boot]
    return (0, 1, 2)[boot] if doors == "2" else (1, 2, 2)[boot]


def nursery() -> Dataset:
    """Nursery: 12960 applications for a place, ranked from not recommended to priority."""
    nurseries, children = NURSERY["has_nurs"].split(), NURSERY["children"].split()

    def rank(
        parents: str, nurs: str, form: str, count: str, housing: str, money: str, social: str,
        health: str,
    ) -> str:  # fmt: skip
        if health == "not_recom":
            return "not_recom"
        employment = EMPLOYMENT[parents][nurseries.index(nurs)]
        home = _home(STRUCTURE[form][children.index(count)], housing, money)
        well = health == "recommended" and social != "problematic"
        return (IN_HEALTH if well else IN_NEED)[employment][home]

    return _all_rows("nursery", NURSERY, rank)


def _home(structure: int, housing: str, money: str) -> int:
    """How hard life at home is, from 0 to 2."""
    easy = housing == "convenient" and money == "convenient"
    if structure == 1:
        return 2 if housing == "critical" else 1
    return structure // 2 + (0 if easy else 1)


def _all_rows(name: str, values: dict[str, str], rule: Callable[..., str]) -> Dataset:
    rows = list(product(*(choices.split() for choices in values.values())))
    return from_text(name, list(values), rows, [rule(*row) for row in rows])
