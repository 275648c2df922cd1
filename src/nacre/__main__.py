"""``nacre``, also ``python -m nacre``."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from nacre.cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit("nacre: the command line needs two more packages: pip install 'nacre[cli]'")
    app()


if __name__ == "__main__":
    main()
