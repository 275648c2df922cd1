"""Files of earlier versions: they load, and the models say what they said."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import nacre
from nacre import GradientBoostClassifier, filters, load_model
from nacre.boost import Backward, CrossEntropy, Forward
from nacre.data.storable import is_storable
from nacre.persistence.container import pack, unpack
from nacre.persistence.former import CONVERSIONS, MOVED
from tests.persistence.answers import frame, said, table
from tests.persistence.model_files import same

FOLDERS = sorted(Path(__file__).parent.glob("files-*"))
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.nacre"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_former_files_say_the_same(path):
    model, columns = load_model(path)
    assert columns == {"made": f"with {path.parent.name.removeprefix('files-')}.0"}
    new = table(2, seed=1)[0]
    found = said(model, frame(new) if path.stem.endswith("frame") else new)
    with np.load(path.parent / "answers.npz") as answers:
        # sums may be rounded in another order, as compilers and processors have them
        np.testing.assert_allclose(found, answers[path.stem], rtol=1e-11, atol=1e-12)
    assert same(unpack(pack(model, None))[0], model)


def test_a_run_can_go_on():
    """A warm start from a file is the same as one from the model that it was."""
    model, _ = load_model(FOLDERS[0] / "gradientboost-gce.nacre")
    assert model.loss == CrossEntropy(0.5)
    X, y = table(2)
    more = model.set_params(n_estimators=5).fit(X, y)
    anew = GradientBoostClassifier(n_estimators=5, loss=CrossEntropy(0.5), random_state=0).fit(X, y)
    assert same(more.predict_proba(X), anew.predict_proba(X))


def test_losses_of_former_files():
    for name, loss in {
        "gradientboost-2": "logistic",
        "gradientboost-tanh": "tanh",
        "gradientboost-forward": Forward(0.2),
        "gradientboost-backward": Backward(0.2),
    }.items():
        assert load_model(FOLDERS[0] / f"{name}.nacre")[0].loss == loss


def test_there_is_a_file_of_every_class():
    """Of the first version; what is new since has none."""
    kinds = {type(load_model(path)[0]).__name__ for path in FILES}
    public = [name for name in (*nacre.__all__, *filters.__all__) if name in MOVED]
    estimators = {name for name in public if hasattr(getattr(nacre, name, filters), "fit")}
    assert {name for name in estimators if name.endswith(("Classifier", "Filter"))} <= kinds


def test_former_names_lead_home():
    for name in MOVED.values():
        module, _, last = name.rpartition(".")
        assert is_storable(getattr(import_module(module), last)), name
    assert set(CONVERSIONS) <= set(MOVED)
