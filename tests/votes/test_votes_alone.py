"""What a file of votes needs: neither Matplotlib nor SciPy, neither laboratory nor arena."""

import json
import os
import subprocess
import sys

import pytest

from sparring import votes
from sparring.votes.data import example

MOST = 110  # modules of ours
pytestmark = pytest.mark.compiled  # no kernel is tested here

CODE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("matplotlib", "scipy"):
            raise ImportError(f"{name} is not to be had")

sys.meta_path.insert(0, Hidden())
import sparring_cli
code = sparring_cli.main(sys.argv[1:])
ours = [name for name in sys.modules if name.startswith("sparring")]
print("loaded", *ours, file=sys.stderr)
sys.exit(code)
"""


def test_an_answer_and_its_page_need_neither_matplotlib_nor_the_laboratory(tmp_path):
    file, page = tmp_path / "year.csv", tmp_path / "page.html"
    file.write_text("\n".join(example().splitlines()[:800]))
    words = ["votes", str(file), "--page", str(page), "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["page"] == str(page) and "<svg" in page.read_text()
    loaded = done.stderr.splitlines()[-1].split()[1:]
    foreign = ("sparring.lab", "sparring.arena", "sparring.web")
    assert [name for name in loaded if name.startswith(foreign)] == []
    assert len(loaded) <= MOST, sorted(loaded)


def test_what_an_answer_does_without_comes_on_demand():
    names = set(votes.ON_DEMAND)
    assert names <= set(votes.__all__) & set(dir(votes))
    for name in names:
        found = getattr(votes, name)
        assert found.__name__ == name and found.__module__.startswith("sparring.votes.")
        assert votes.ON_DEMAND[name] != name  # else the module would take its place
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = votes.nothing
