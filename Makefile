# Every target creates .venv and installs what it needs; only Python 3.11+ and make must be there.
PYTHON ?= python3
BIN := .venv/bin
LAB := .venv/.lab
READY := .venv/.ready
DOCS := .venv/.docs
OLDEST := .venv-oldest/.ready
SCALE ?= quick
# What runs kernels; the laboratory and the command above them are the same without the compiler.
INTERPRETED := $(addprefix tests/,bounds certificates contexts learners numerics simulation statistical test_preferences.py \
    test_regrets.py test_strengths.py tunings votes/test_segments.py votes/test_watches.py worlds)
QUIETLY := --quiet --disable-pip-version-check
# Some machines say that Python shall keep no bytecode: then each of hundreds of processes compiles all it
# imports, and each pytest rewrites the assertions of all tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help reproduce check test slow oldest wheel plain lint format docs documents bench clean

help: ## what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

reproduce: $(LAB) ## the paper's experiments: figures, verdicts, a page; SCALE=full for its sizes
	$(BIN)/sparring reproduce --scale $(SCALE)

check: $(READY) lint ## lint, types and the tests of what matters most, in about a minute
	$(BIN)/pytest -q -n 2 --dist worksteal -m core tests

test: $(READY) ## all tests: compiled, then with the JIT off for the coverage of the kernels
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"
	@# Without the contract, which `make plain` tries interpreted, too, and which crosses no line alone.
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --dist worksteal -m "not compiled and not slow" $(INTERPRETED) \
	    --deselect tests/learners/test_contract.py::test_contract \
	    --cov=src/sparring --cov-branch --cov-report=json:.coverage.json
	$(BIN)/python tests/support/kernel_coverage.py .coverage.json

slow: $(READY) ## power cuts, failing and full disks, in a minute or two
	$(BIN)/pytest -n 2 --dist worksteal -m slow tests

oldest: $(OLDEST) ## what matters most, tables, figures and pages, with the oldest dependencies allowed
	.venv-oldest/bin/pytest -n 2 --dist worksteal -m "core or oldest" tests

wheel: $(READY) ## the package for a release, in dist: an sdist, and the wheel built from it, both checked
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*

plain: wheel ## the wheel installed alone, with NumPy and without Numba: whole, and learners are quick to start
	$(PYTHON) -m venv --clear .venv-plain
	.venv-plain/bin/python -m pip install $(QUIETLY) --constraint constraints.txt dist/*.whl hypothesis pytest
	.venv-plain/bin/pytest -q -m plain $$(grep -rl 'mark\.plain' tests)

lint: $(READY) ## ruff, mypy, import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## let ruff write the layout
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(DOCS) ## the site, with search and the API, into build/site; open index.html there
	$(BIN)/python docs/site
	@echo "build/site/index.html"

documents: $(READY) ## run everything and write figures and tables into the docs
	$(BIN)/python docs/refresh.py

bench: $(READY) ## nanoseconds a round, beside plain NumPy and, if it is there, tuned C; worlds, threads, memory
	$(BIN)/python benchmarks/speed.py $(if $(YARDSTICK),--yardstick $(YARDSTICK))
	$(BIN)/python benchmarks/simulation.py
	$(BIN)/python benchmarks/sweep.py

clean: ## forget the virtual environment and everything cached
	rm -rf build dist .venv .venv-oldest .venv-plain .hypothesis .*_cache .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What experiments need, and for those who work on the project its tools beside it.
$(LAB): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "sparring needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install $(QUIETLY) --constraint constraints.txt --editable '.[lab]'
	@touch $@

$(READY): $(LAB)
	$(BIN)/python -m pip install $(QUIETLY) --constraint constraints.txt --editable '.[dev,release]'
	@touch $@

$(DOCS): $(LAB)
	$(BIN)/python -m pip install $(QUIETLY) --constraint constraints.txt --editable '.[docs]'
	@touch $@

$(OLDEST): pyproject.toml constraints.txt constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	grep -viE '^(jinja2|numba|numpy|llvmlite|polars.*|pyarrow|rich|scipy|matplotlib|distributed|dask|pyparsing)=' constraints.txt | cat - constraints-oldest.txt > .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip install $(QUIETLY) --constraint .venv-oldest/constraints.txt --editable '.[dev]'
	@touch $@
