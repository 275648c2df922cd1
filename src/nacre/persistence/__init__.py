"""Model files: fitted models on disk, read again without running anything that the file brings.

A model file is a zip of ``nacre.json`` (what it is), ``model.json`` (the model) and an ``.npy``
file for each array, of the smallest type that holds its numbers; its last bytes are the SHA-256 of
all before. Members are compressed (deflate), none to less than a fiftieth: what says that it
unfolds further is refused before anything is unfolded, so that no small file becomes a large one.

Beside plain data a file may hold objects of classes of nacre that are marked ``@storable``. It
names them by their homes; ``former.MOVED`` says where classes of earlier versions are now,
``former.CONVERSIONS`` what became of their attributes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from nacre.io.whole import whole_file
from nacre.persistence.container import pack, unpack


def save_model(
    model: Any, path: str | os.PathLike[str], columns: dict[Any, Any] | None = None
) -> None:
    """Save a model to a file that is safe to share.

    The model comes back as it is: the same predictions to the last bit, parameters and fitted
    attributes. The same model gives the same bytes. A file that is there already is replaced once
    the new one is complete.

    Parameters
    ----------
    model : booster, learner or filter of nacre
    path : where to
        By custom, the name ends in ``.nacre``.
    columns : dict, optional
        Plain data to keep with the model, such as how its table was read.

    See Also
    --------
    load_model : Read it again.

    Notes
    -----
    Boosters over scikit-learn estimators cannot be saved: their classes are not nacre's, and only
    pickle could bring them back, which runs whatever a file says.

    Every version of nacre reads the files of all versions before it. Parameters that have been
    added since have their default values. A file of a later format, or one that holds a class or a
    parameter that this version does not know, is refused.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier, load_model, save_model
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.nacre", {"label": "diagnosis"})
    ...     again, columns = load_model(Path(folder) / "model.nacre")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all()), columns
    (True, {'label': 'diagnosis'})
    """
    data = pack(model, columns)
    with whole_file(path) as half:
        half.write_bytes(data)


def load_model(path: str | os.PathLike[str]) -> tuple[Any, dict[Any, Any] | None]:
    """Read a model that :func:`save_model` has saved.

    No code of the file's is run, and what it says is checked: a file from anywhere gives a model or
    a ``ValueError``. (A checksum finds accidents. It does not tell who wrote the file.)

    Parameters
    ----------
    path : the file

    Returns
    -------
    model, columns
        As they were given to :func:`save_model`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from nacre import Stump, load_model, save_model
    >>> stump = Stump().fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(stump, Path(folder) / "model.nacre")
    ...     again, _ = load_model(Path(folder) / "model.nacre")
    >>> again.predict([[1.2], [2.2]]).tolist()
    ['no', 'yes']
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError("not a file.")
        return unpack(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error
