"""The container: an archive of members, its checksum at the end, its expansion bounded."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from typing import Any

from sklearn.base import BaseEstimator

from nacre import __version__
from nacre.persistence.arrays import from_npy, narrow, stored_type, to_npy, widened
from nacre.persistence.plain import Reader, Unknown, Writer

FORMAT = "nacre model"
VERSION = 3
HEADER, MODEL, ARRAY = "nacre.json", "model.json", "arrays/{}.npy"
SIGN = b"sha256:"
DIGEST = 64
LEVEL = 6
UNFOLDS = 50
"""A member of the archive is at most so many times as large as what is stored of it."""


def pack(model: Any, columns: dict[Any, Any] | None) -> bytes:
    """The bytes of a model file."""
    if not isinstance(model, BaseEstimator):
        raise TypeError(f"model must be a model of nacre, got {model!r}.")
    if columns is not None and not isinstance(columns, dict):
        raise TypeError(f"columns must be a dict or None, got {columns!r}.")
    writer = Writer()
    content = {
        "model": writer.plain(model, "model"),
        "columns": writer.plain(columns, "columns"),
        "objects": writer.objects,
        "types": [stored_type(array) for array in writer.arrays],
    }
    header = {"format": FORMAT, "version": VERSION, "nacre": __version__}
    members = {HEADER: _json(header), MODEL: _json(content)}
    members |= {ARRAY.format(i): to_npy(narrow(array)) for i, array in enumerate(writer.arrays)}
    return seal(members)


def seal(members: dict[str, bytes]) -> bytes:
    """An archive, and the checksum of all of it at the end."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = SIGN + b"0" * DIGEST
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # the same on any machine
            packed = zlib.compress(data, LEVEL, -zlib.MAX_WBITS)
            worth = name != HEADER and len(packed) < len(data) <= UNFOLDS * len(packed)
            entry.compress_type = zipfile.ZIP_DEFLATED if worth else zipfile.ZIP_STORED
            archive.writestr(entry, data, compresslevel=LEVEL)
    body = buffer.getvalue()[:-DIGEST]
    return body + hashlib.sha256(body).hexdigest().encode()


def unpack(data: bytes) -> tuple[Any, dict[Any, Any] | None]:
    """The model and what was kept with it; ValueError for anything but a sound file."""
    if data[:4] != b"PK\x03\x04" or data[30 : 30 + len(HEADER)] != HEADER.encode():
        raise ValueError("not a model file of nacre.")
    body, digest = data[:-DIGEST], data[-DIGEST:]
    if not body.endswith(SIGN):
        raise ValueError("the model file is cut short: copy it again.")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("the model file has been altered: its checksum does not fit.")
    try:
        members = _members(data)
        _check_version(json.loads(members[HEADER]))
        return _content(members)
    except (MemoryError, Unknown):
        raise
    except Exception as error:  # a checksum is no promise: parsers and checks may meet anything
        raise ValueError(f"the model file is damaged: {error}") from error


def _members(data: bytes) -> dict[str, bytes]:
    """The files of an archive; none is read before it is known how large all are."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(one.compress_size for one in entries) > len(data) or any(
            one.file_size > UNFOLDS * one.compress_size for one in entries
        ):
            raise ValueError("it claims to be larger than it is.")
        return {one.filename: _member(archive, one) for one in entries}


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """A file of an archive, no more of it than it says; ``ZipFile.read`` would unfold all."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in another way.")
    with archive.open(entry) as file:
        data = file.read(entry.file_size)
    if len(data) != entry.file_size:
        raise ValueError("it is not as large as it says.")
    return data


def _check_version(header: dict[str, Any]) -> None:
    version = header["version"]
    if header["format"] != FORMAT or type(version) is not int or version < 1:
        raise ValueError("it has no version.")
    if version > VERSION:
        raise Unknown(f"format {version} of model files, which nacre {header['nacre']} writes")


def _content(members: dict[str, bytes]) -> tuple[Any, dict[Any, Any] | None]:
    content = json.loads(members[MODEL])
    arrays = [from_npy(members[ARRAY.format(i)]) for i in range(len(members) - 2)]
    if "types" in content:
        arrays = [widened(array, of) for array, of in zip(arrays, content["types"], strict=True)]
    reader = Reader(arrays)
    for one in content["objects"]:
        reader.add(one["class"], one["state"])
    model, columns = reader.thing(content["model"]), reader.thing(content["columns"])
    if not isinstance(model, BaseEstimator) or not isinstance(columns, dict | None):
        raise ValueError("it has no model.")
    return model, columns


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, allow_nan=False).encode()
