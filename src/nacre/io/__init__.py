"""Files and data frames in and out: ``read_table`` and ``write_table``.

They need pyarrow, and load it when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
