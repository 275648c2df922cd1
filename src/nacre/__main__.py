"""``nacre``, also ``python -m nacre``."""

import codecs
import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Run the command line."""
    codecs.register_error("nacre", _instead)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="nacre")
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    try:
        from nacre.cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit("nacre: the command line needs two more packages: pip install 'nacre-boost[cli]'")
    code: object = 0
    try:
        app()
    except SystemExit as ended:
        code = ended.code
    except OSError as error:
        _lose_output(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        _lose_output(error)
    sys.exit(code)  # type: ignore[arg-type]


def _instead(error: UnicodeError) -> tuple[str, int]:
    """What stands for a letter that a terminal does not have."""
    assert isinstance(error, UnicodeEncodeError)
    return "+-" if error.object[error.start] == "±" else "?", error.start + 1


def _stop(number: int, _: FrameType | None) -> None:
    """End as by an error, so that nothing half written is left."""
    sys.exit(128 + number)


def _lose_output(error: OSError) -> None:
    """End in one line where what was printed cannot be: on a full disk, say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python tries once more
    sys.exit(f"nacre: the answer cannot be printed: {error.strerror}.")


if __name__ == "__main__":
    main()
