"""The experiments of five papers on boosting and wrong labels, each to be run again.

:mod:`~nacre.papers.catalogue` has them all. A folder for each paper declares them, ``beyond`` what
the papers ask for next; :mod:`~nacre.experiments.reproduce` runs one and writes its table, its
numbers and its figure.
"""
