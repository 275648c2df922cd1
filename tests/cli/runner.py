"""Running commands."""

from typer.testing import CliRunner

from nacre.cli import app


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])
