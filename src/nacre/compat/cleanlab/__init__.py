"""The names of cleanlab 2 over nacre: in an import, ``cleanlab`` becomes ``nacre.compat.cleanlab``.

The modules are ``filter``, ``rank``, ``count``, ``classification`` and ``multiannotator``.
Arguments and results have cleanlab's order, shapes and orientation; what is found is nacre's
(:func:`nacre.judge_labels`, :func:`nacre.judge_answers`), so numbers differ. Arguments that choose
among cleanlab's own methods (``filter_by``, ``method``) are taken and make no difference, as nacre
has one; arguments that would change the answer and have no counterpart are refused by name.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
