"""Weak learners: prepare the data once, fit every round."""
