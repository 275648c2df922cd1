"""J. Chan, On boosting and noisy labels, MEng thesis, MIT, 2015."""

from nacre.papers.chan import (
    adaboost_course,
    choice_of_rounds,
    filter_and_train,
    flagged_margins,
    flagged_overlap,
    flagged_shares,
    flagged_volumes,
    least_margins,
    regions,
    several_classes,
)

EXPERIMENTS = (
    *adaboost_course.EXPERIMENTS,
    *choice_of_rounds.EXPERIMENTS,
    *several_classes.EXPERIMENTS,
    *least_margins.EXPERIMENTS,
    *filter_and_train.EXPERIMENTS,
    *regions.EXPERIMENTS,
    *flagged_shares.EXPERIMENTS,
    *flagged_volumes.EXPERIMENTS,
    *flagged_margins.EXPERIMENTS,
    *flagged_overlap.EXPERIMENTS,
)
