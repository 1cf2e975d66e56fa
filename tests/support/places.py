"""Where things are, for tests that read files."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
SUPPORT = TESTS / "support"
DATA = ROOT.parent / "shared/data"  # real preferences, beside the project; not everybody has them
