"""Configuration of Sphinx, for the language that DOCS_LANGUAGE names."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

language = os.environ.get("DOCS_LANGUAGE", "en")
project = "teachgraph"
author = project_copyright = "The teachgraph authors"
version = release = version_of("teachgraph")
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "docs.extension",
]
if language != "en":
    extensions.remove("sphinx.ext.viewcode")

# What stands in single backticks is code, as everywhere in our docstrings.
default_role = "code"
# Dashes stay as they are: `--step` is an option.
smartquotes_action = "qe"
nitpicky = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
viewcode_line_numbers = True

# The notebooks are executed before (`notebooks.py`); their pictures bring their code.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = [
    "mystnb.unknown_mime_type",
    "myst.header",
    "misc.highlighting_failure",
]

html_theme = "furo"
html_title = "teachgraph"
PICTURES = [
    HERE.parent / "widgets" / f"lesson_00_{tone}.png" for tone in ("light", "dark")
]
html_static_path = [str(HERE / "static"), *map(str, PICTURES)]
templates_path = [str(HERE / "templates")]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
# A page from a file may not fetch others, from which excerpts would come.
html_show_search_summary = False
html_copy_source = html_show_sourcelink = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
