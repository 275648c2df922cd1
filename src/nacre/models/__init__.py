"""One scikit-learn estimator per algorithm."""
