"""How the documentation is built: ``make docs``. Nothing is fetched, when building or when read."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
os.environ["MPLBACKEND"] = "Agg"

from docutils import nodes  # noqa: E402
from sphinx.util.images import get_image_size  # noqa: E402

from nacre import __version__  # noqa: E402

NARROW = 390  # pixels: a telephone

project = "nacre"
copyright = "the authors of nacre"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "extensions.commands",
    "extensions.mathml",
]
exclude_patterns = [
    "_build",
    "papers/results/*.md",  # included by the papers' own pages
    "explain/curves.md",  # included by explain/which.md
    "explain/robustness.md",  # likewise
]
templates_path = ["_templates"]

# Text: MyST, with an anchor for every heading down to the third level.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Reference: one page per name; a class's page has its methods, its own and those it inherits.
autosummary_generate = True
autosummary_filename_map = {"nacre.boost.boosting": "nacre.boost.boosting-function"}  # Boosting
autodoc_typehints = "none"  # numpydoc's sections name the types
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = f"nacre {release}"
html_static_path = ["_static"]
html_css_files = ["nacre.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": f"nacre {release}"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}


def skip_member(app, what, name, member, skip, options):
    """Leave out scikit-learn's routing of metadata, whose words are not ours."""
    routing = name == "get_metadata_routing" or (name[:4] == "set_" and name[-8:] == "_request")
    return True if routing else None


def link_large_figures(app, doctree):
    """Have figures that some screens must shrink lead to the whole picture.

    Not the gallery's thumbnails, which lead to their examples: a second link around them would have
    them sit over other titles.
    """
    for image in doctree.findall(nodes.image):
        if image["uri"].endswith("_thumb.png"):
            continue
        size = get_image_size(Path(app.srcdir, image["uri"]))
        if size and size[0] > NARROW:
            image.setdefault("width", f"{size[0]}px")  # Sphinx links whatever has a width


def setup(app):
    """Register what stands above."""
    app.connect("doctree-read", link_large_figures)
    app.connect("autodoc-skip-member", skip_member)
