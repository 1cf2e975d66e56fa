"""The one door of the laboratory: without the extra it says what to install."""

from importlib.util import find_spec

for library in ("jinja2", "matplotlib", "polars", "rich", "scipy"):  # looked for, not yet imported
    if find_spec(library) is None:
        raise ImportError(f"sparring.lab needs {library}: pip install 'sparring[lab]'")
