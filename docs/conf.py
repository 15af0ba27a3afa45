"""Settings of Sphinx for the site; `make docs` builds it."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.domains.python import PyObject

sys.path.insert(0, str(Path(__file__).parent))

from site_pages import is_foreign, site_text, write_pages

project = "baytree"
author = "baytree contributors"
copyright = "baytree contributors, MIT licence"
release = metadata.version("baytree")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns: list[str] = []
smartquotes_action = "D"  # dashes only: "bic" is a word of Python and keeps its quotes
default_role = "py:obj"  # a word in single backticks is a name if there is one, else just code

myst_heading_anchors = 4  # as on GitHub
myst_links_external_new_tab = False
suppress_warnings = ["myst.xref_ambiguous"]  # [k-max] may be a key of a paper on several pages

autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # docstrings say the types, in words
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes in a list, beside the parameters
napoleon_use_rtype = False

pygments_dark_style = "monokai"
html_theme = "furo"
html_title = "baytree"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f6f43", "color-brand-content": "#1f6f43"},
    "dark_css_variables": {"color-brand-primary": "#7fd3a2", "color-brand-content": "#7fd3a2"},
}


def setup(app: Sphinx) -> None:
    """Write the generated pages and connect the changes of links and members."""
    write_pages()
    _rename_variables_to_attributes()
    app.connect("source-read", _read)
    app.connect("autodoc-skip-member", _skips)


def _rename_variables_to_attributes() -> None:
    """Sphinx calls attributes variables, a word with another meaning here."""
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = site_text(name, source[0])


def _skips(app: Sphinx, what: str, name: str, member: object, skip: bool, options: object) -> bool:
    return skip or is_foreign(member)
