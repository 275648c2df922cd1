"""J. Chan, On boosting and noisy labels, MEng thesis, MIT, 2015."""

from nacre.papers.chan import adaboost_course, flagged_rows

EXPERIMENTS = (
    *adaboost_course.EXPERIMENTS,
    *flagged_rows.EXPERIMENTS,
)
