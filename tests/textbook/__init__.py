"""Textbook twins: each algorithm once more, slowly and plainly, to compare the library with."""
