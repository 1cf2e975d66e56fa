"""Settings of Sphinx for the site; `make docs` builds it."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from sparring.version import __version__  # noqa: E402

project = "sparring"
author = "The sparring developers"
copyright = author  # noqa: A001  Sphinx's name
version = release = __version__
html_title = f"sparring {__version__}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "formulas", "names"]
nitpicky = False  # NumPy's and polars' types have no page here, and nothing outside is asked
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 4
default_role = "name"
highlight_language = "text"

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_use_rtype = False
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries = False  # names have headings; a list of their methods would be too long

html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = [str(HERE / "static")]
html_favicon = str(HERE / "static" / "icon.svg")
html_css_files = ["sparring.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": False}
pygments_style = "friendly"
