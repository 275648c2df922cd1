"""nacre: learning from wrong labels by boosting.

Names are loaded when they are first used, so that ``import nacre`` is quick. The list of them is
``__init__.pyi``.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
