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


@pytest.fixture
def refuse(read):
    """See that a file is refused in one line."""

    def check(written, says):
        with pytest.raises(ValueError, match=says) as caught:
            read(written)
        assert type(caught.value) is ValueError
        assert "\n" not in str(caught.value)

    return check
