"""Every figure, table and theorem of the five papers: which experiment has it, or why none does."""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """A numbered part of a paper.

    Attributes
    ----------
    paper : its short name
    number : str
        As printed.
    what : str
    experiment : name of the experiment that has it, or "" where none does
    why : where it is instead, or why it is not run
    """

    paper: str
    number: str
    what: str
    experiment: str = ""
    why: str = ""


DRAWING = "a drawing; nothing is measured"
TEXT = "an algorithm; a twin in the tests holds ours to it"
BOUND = "a formula; tests hold ours to it"


def _rows(paper: str, *rows: tuple[str, ...]) -> list[Item]:
    return [Item(paper, *row) for row in rows]


ITEMS = [
    *_rows(
        "chan",
        ("figure 2-1", "weighted training error", "chan-2"),
        ("figure 2-2", "training error under its bound", "chan-2"),
        ("figure 2-3", "training and test error", "chan-2"),
        ("figures 2-4, 2-5", "margins after 1 and 50 rounds", "chan-2"),
        ("section 2.1", "the number of rounds: held-out rows, AIC, BIC", "chan-rounds"),
        ("section 2.1.3", "M1, M2 and SAMME", "chan-2-1"),
        (
            "section 2.2.1",
            "least margins by the norms of boosting and of vector machines",
            "chan-2-2",
        ),
        ("figure 2-6", "rows discarded and rows mislabelled", "chan-2-3"),
        ("section 2.3", "filters of all kinds; their errors; learners after them", "chan-2-3"),
        ("figure 3-1", "a fine needle aspirate", "", "a photograph"),
        ("section 3.3", "decision volume by its definition", "chan-3-3"),
        ("figure 4-1", "share of rows flagged", "chan-4-1"),
        ("figure 4-2", "log cell volumes", "chan-4-2"),
        ("figure 4-3", "decision volumes", "chan-4-3"),
        ("figure 4-4", "margins of flagged rows and others", "chan-4-4"),
        ("figure 4-5", "overlap of two filters", "chan-4-5"),
        ("chapter 5", "volumes where wrong labels are known", "beyond-volume"),
        ("algorithms 1-5", "AdaBoost, M2, SAMME, LogitBoost, gradient boosting", "", TEXT),
        ("algorithms 6-11", "filters, volumes, margins", "", TEXT),
    ),
    *_rows(
        "weil",
        ("figures 1, 2", "losses, and the corrected one", "weil-1-3"),
        ("figure 3", "weights of Core AdaBoost", "weil-1-3"),
        ("figure 4, left", "labels of pure chance", "weil-4a"),
        ("figure 4, right", "Adult", "weil-4b"),
        ("figure 5, left", "noise rate of Bernoulli labels", "weil-5a"),
        ("figure 5, right", "noise rate of banana", "weil-5b"),
        ("section 4.3", "the same rows for semi-supervised learners", "beyond-semi-supervised"),
        ("conclusion", "a corrected logistic cost", "beyond-core-logistic"),
        ("proposition 1", "the corrected loss's excess risk; Zhang's inequality", "weil-3-2"),
        ("section 4.1", "votes that are undefined, and other step sequences", "weil-4-1"),
        ("algorithms 1-3", "AdaBoost, Core and Stochastic Core AdaBoost", "", TEXT),
    ),
    *_rows(
        "sano",
        ("figure 1", "losses of two classes", "sano-1"),
        ("figure 2", "the derivative by noise reaction", "sano-2"),
        ("figure 3", "the toy data", "sano-3"),
        ("figure 4", "errors on the toy data", "sano-4"),
        ("figure 5", "errors, flips far from the boundary", "sano-5"),
        ("figure 6", "errors, flips near the boundary", "sano-6"),
        ("figure 7", "errors without flips", "sano-7"),
        ("equations 5, 9", "other losses, a joint objective, other steps", "sano-choices"),
        ("boxes", "MarginBoost.L1 and SNRBoost", "", TEXT),
    ),
    *_rows(
        "barnes",
        ("figures 2.1, 2.2, 2.3", "learning, classification, shattering", "", DRAWING),
        ("figures 2.4, 2.5, 2.7, 2.8", "capacity and bounds", "", DRAWING),
        ("figure 2.6", "the p-convex hull of two variables", "barnes-2"),
        ("figure 2.9", "structural risk minimisation", "barnes-2"),
        ("theorem 2", "the VC bound", "", BOUND),
        ("theorem 3", "margins and covering numbers", "barnes-2"),
        ("figure 3.1", "AdaBoost", "", TEXT),
        ("figure 3.2", "votes against errors", "barnes-4-2"),
        ("figure 3.3", "row weights over the rounds", "barnes-3"),
        ("figures 3.4, 3.5", "gradient descent, the cost above the risk", "", DRAWING),
        ("figure 3.6", "cost and margins", "barnes-3"),
        ("figure 3.7", "overfitting", "barnes-3"),
        ("figure 4.1", "the form of bounds", "", DRAWING),
        ("figure 4.2", "p and the true risk", "barnes-4-2"),
        ("figure 4.3", "naive votes", "barnes-4-2"),
        ("theorems 1, 7", "bounds", "barnes-4-2"),
        ("theorem 4", "covering numbers of a p-convex hull", "barnes-2"),
        ("chapter 4", "gravity, naive weights from votes, p above 2", "barnes-4"),
        ("theorems 5, 6", "AdaBoost as gradient descent", "", TEXT),
        ("theorem 8", "votes without bound", "", "a limit; nothing is measured"),
        ("theorem 9", "the largest least margin", "", "not so; see the misprints"),
        ("theorem 10", "votes may be scaled", "", "follows from the sign"),
        ("theorems 11, 12", "bounds of boosting, of p-boosting", "barnes-4-2", "and in the tests"),
        ("theorem 13", "VC dimension of stumps", "", "nothing is measured"),
        ("figures 4.4, 4.5, 4.6", "line searches of the strict and sloppy step", "barnes-4-5"),
        ("table 5.1", "data sets", "", "acacia was never public; the loaders check the others"),
        ("table 5.2", "all tests", "barnes-6", "without those on acacia, never public"),
        ("figure 6.1", "test errors against AdaBoost", "barnes-6"),
        ("figure 6.2", "training times", "barnes-courses"),
        ("figure 6.3", "errors against p", "barnes-6"),
        ("figure 6.4", "training curves", "barnes-courses"),
        ("figure 6.5", "votes over the rounds", "barnes-courses"),
        ("section 6.5.1", "runs that end", "barnes-courses"),
        ("section 6.5.1", "restarts", "barnes-restarts"),
        ("figures A.1, A.2", "stumps", "", DRAWING),
        ("figure C.1", "the ring", "", "make_ring of nacre.datasets"),
        ("table C.1", "attributes of acacia", "", "acacia was never public"),
        ("appendix E", "all curves", "barnes-6"),
        ("figure F.1", "votes against errors", "", BOUND),
        ("table F.1", "the timetable of the project", "", "nothing is measured"),
        ("chapter 7", "p-boosting with a soft cost", "beyond-soft-hull"),
        ("chapter 7", "acceleration", "beyond-acceleration"),
    ),
    *_rows(
        "oza",
        ("figures 1, 2", "AdaBoost and AveBoost2", "", TEXT),
        ("theorem 1", "bounds on the training error", "oza-bounds"),
        ("theorems 2, 3", "stability", "oza-stability"),
        ("table 1", "data sets", "oza-2"),
        ("table 2", "wins, ties and losses", "oza-2"),
        ("figures 3-8", "errors of both algorithms", "oza-2"),
        ("section 5", "Balance with and without noise", "oza-balance"),
        ("section 6", "noise that grows; accuracies, correlations, weights", "beyond-aveboost"),
        ("section 6", "other ways to boost noisy data", "beyond-peers"),
    ),
]
