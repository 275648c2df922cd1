# make demo and make test need Python 3.11 or newer, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: demo test test-fast check format docs bench bench-robust bench-robust-quick bench-robust-full clean

demo: $(VENV)/ready-cli
	$(BIN)/nacre demo

test: $(VENV)/ready-test
	$(BIN)/python -m pytest -n $(WORKERS)

# Under two minutes once kernels are compiled. Leaves out what is marked slow, and doctests.
test-fast: $(VENV)/ready-test
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow" tests

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
	$(BIN)/python benchmarks/waiting.py
	$(BIN)/python benchmarks/noise_rate.py
	$(BIN)/python benchmarks/detection.py
	$(BIN)/python benchmarks/judging.py

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

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis \
		docs/_build docs/gallery docs/reference/generated
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
