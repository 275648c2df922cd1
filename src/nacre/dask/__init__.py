"""The same boosters over partitions: on a Dask cluster, or one after the other on one machine."""

from nacre.dask.fit import fit
from nacre.dask.predict import predict, predict_proba

__all__ = ["fit", "predict", "predict_proba"]
