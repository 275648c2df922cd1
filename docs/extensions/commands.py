"""The directive ``commands``: the help of every command of ``nacre``, as it is when building."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command
from typer.testing import CliRunner

from nacre.cli import app as cli

WIDTH = 78


def help_of(command):
    """What ``nacre COMMAND --help`` prints, without boxes and colours."""
    rich, cli.rich_markup_mode = cli.rich_markup_mode, None
    try:
        run = CliRunner().invoke(
            cli,
            [command, "--help"],
            prog_name="nacre",
            terminal_width=WIDTH,
            catch_exceptions=False,
        )
    finally:
        cli.rich_markup_mode = rich
    return run.output.strip()


class Commands(SphinxDirective):
    """A section for each command."""

    def run(self):
        """Make the sections."""
        sections = []
        for command in get_command(cli).commands:
            title = f"nacre {command}"
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            text = help_of(command)
            section += [nodes.title(text=title), nodes.literal_block(text, text, language="text")]
            self.state.document.note_explicit_target(section)  # so that pages can link to it
            sections.append(section)
        return sections


def setup(app):
    """Offer the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
