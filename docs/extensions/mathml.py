"""Formulas as MathML, which browsers show by themselves: no script, no font, no network."""

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def _write(translator, node, as_block):
    try:
        formula = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        raise SkipNode from error
    translator.body.append(f'<div class="math">{formula}</div>' if as_block else formula)
    raise SkipNode


def write_inline(translator, node):
    """Write a formula within a line."""
    _write(translator, node, as_block=False)


def write_block(translator, node):
    """Write a formula on lines of its own."""
    _write(translator, node, as_block=True)


def setup(app):
    """Offer the renderer that ``html_math_renderer`` names."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
