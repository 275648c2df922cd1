"""The experiments of five papers on boosting and wrong labels, each to be run again.

:mod:`~nacre.papers.catalogue` has them all; modules named after the papers declare them, and
``beyond_*`` what the papers ask for next; :mod:`~nacre.papers.reproduce` runs one and writes its
table, its numbers and its figure.
"""
