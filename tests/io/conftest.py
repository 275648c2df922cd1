import pytest

from nacre.io import read_table


@pytest.fixture
def read(tmp_path):
    """What a file of the given text or bytes holds."""

    def reader(written, name="some.csv"):
        path = tmp_path / name
        path.write_bytes(written.encode() if isinstance(written, str) else written)
        return read_table(path).to_arrow().to_pydict()

    return reader
