"""The experiments of five papers on boosting and wrong labels, each to be run again.

:mod:`~nacre.papers.catalogue` has them all; one module per paper declares them;
:mod:`~nacre.papers.reproduce` runs one and writes its table, its numbers and its figure.
"""
