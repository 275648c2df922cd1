"""J. Chan, On boosting and noisy labels, MEng thesis, MIT, 2015."""

from nacre.papers.chan import adaboost_course, filter_and_train, flagged_rows

EXPERIMENTS = (
    *adaboost_course.EXPERIMENTS,
    *filter_and_train.EXPERIMENTS,
    *flagged_rows.EXPERIMENTS,
)
