"""The command line. Commands import what they need when they run, so that help is quick."""

from nacre.cli import audit, compare, models, papers, review, topics
from nacre.cli.app import app

__all__ = ["app", "audit", "compare", "models", "papers", "review", "topics"]
