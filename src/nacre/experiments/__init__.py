"""Experiments: declared, run on all cores, kept when finished, and set beside their claims."""
