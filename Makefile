# make demo and make test need Python 3.11 or newer, and nothing else.

PYTHON ?= python3
VENV := .venv
OLDEST := .venv-minimum
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: demo test test-fast test-minimum dist check format docs bench bench-mutations bench-robust bench-robust-quick bench-robust-full clean

demo: $(VENV)/ready-cli
	$(BIN)/nacre demo

test: $(VENV)/ready-test
	$(BIN)/python -m pytest -n $(WORKERS)

# Under two minutes once kernels are compiled. Leaves out what is marked slow, and doctests.
test-fast: $(VENV)/ready-test
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow" tests

# The same in an environment of its own, with the oldest versions of all that nacre depends on.
test-minimum: $(OLDEST)/ready
	$(OLDEST)/bin/python -m pytest -n $(WORKERS) -m "not slow" tests -W default::DeprecationWarning

# A wheel and a source distribution, checked, the wheel installed into an empty environment.
dist: $(VENV)/ready-dist
	rm -rf dist build/installed
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/installed
	build/installed/bin/python -m pip install --quiet "$$(ls dist/*.whl)[cli]"
	cd build && installed/bin/nacre --version --verbose
	cd build && installed/bin/nacre demo --effort fast --out installed/demo

check: $(VENV)/ready-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/ready-check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/ready-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	@echo "The documentation is docs/_build/html/index.html"

bench: $(VENV)/ready-bench
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/boosters.py
	$(BIN)/python benchmarks/learners.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/noise_rate.py
	$(BIN)/python benchmarks/detection.py
	$(BIN)/python benchmarks/judging.py

# Do the tests bite? Small changes to nacre, each of which should make one fail. Half an hour.
bench-mutations: $(VENV)/ready-test
	PYTHONPATH=src:. $(BIN)/python benchmarks/mutations.py --workers $(WORKERS)

# The tables of the documentation: nacre and its peers on the reporting sets. Two to three hours.
bench-robust: $(VENV)/ready-bench
	PYTHONPATH=benchmarks $(BIN)/python -m robustness --workers $(WORKERS)

# About ten minutes: nacre and three peers, before and after a change.
bench-robust-quick: $(VENV)/ready-bench
	PYTHONPATH=benchmarks $(BIN)/python -m robustness --quick --workers $(WORKERS)

# All sets, kinds of noise and boosters: a day.
bench-robust-full: $(VENV)/ready-bench
	PYTHONPATH=benchmarks $(BIN)/python -m robustness --full --workers $(WORKERS)

# One stamp per set of extras; the environment itself is made once.
$(VENV)/ready-%: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "nacre needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(OLDEST)/ready: pyproject.toml tests/minimum.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --constraint tests/minimum.txt --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis \
		docs/_build docs/gallery docs/reference/generated
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
