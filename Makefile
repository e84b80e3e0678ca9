# Two commands do everything on a machine that has Python >= 3.10 and make:
#   make demo    make test
# `make help` lists the others.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --editable
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
WHAT   := $(if $(NOTEBOOKS),--nbmake --nbmake-timeout=600 tests ir_measures_relative $(NOTEBOOKS))

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint types pytest notebooks fuzz extremes matrix bench docs clean

help:  ## list these targets
	@grep -E '^[a-z]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

demo: $(VENV)/.demo  ## set up, then evaluate a simulated track
	$(BIN)/python -m ir_measures_relative demo

test: lint types pytest  ## set up, then lint, types, tests, doctests, README examples, notebooks

lint: $(VENV)/.test  ## ruff
	$(BIN)/ruff check .

types: $(VENV)/.test  ## mypy
	$(BIN)/mypy

pytest: $(VENV)/.test  ## tests, doctests, README examples and notebooks; says what was skipped and why
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --timeout 900 $(WHAT)

notebooks: $(VENV)/.test  ## run the notebooks and store in them what they show
	$(BIN)/python -m pytest -q --nbmake --nbmake-timeout=600 --overwrite $(NOTEBOOKS)

fuzz: $(VENV)/.test  ## twenty times as many random inputs, other ones each time
	IR_MEASURES_RELATIVE_FUZZ=20 $(BIN)/python -m pytest -q -n $(JOBS) tests/test_fuzz.py tests/input/test_plain_fields.py tests/measures/test_every_measure.py

extremes: $(VENV)/.test  ## the largest inputs: 100,000 topics, rankings of 100,000 documents
	$(BIN)/python -m pytest -q -m slow --durations=0 tests

matrix:  ## the tests with other versions of Python, numpy, pandas, ir_measures; ENVIRONMENTS names some of them
	@$(PYTHON) tools/matrix.py --jobs $(JOBS) $(ENVIRONMENTS)

bench: $(VENV)/.test  ## run every benchmark; prints ratios as Markdown tables
	@set -e; for benchmark in $(sort $(wildcard benchmarks/bench_*.py)); do \
		echo "== $$benchmark"; $(BIN)/python $$benchmark; done

docs: $(VENV)/.docs  ## build the documentation into build/docs; warnings are errors
	$(BIN)/python -m ir_measures_relative.pt_docs.measure_pages >/dev/null
	$(BIN)/python -m sphinx -W --keep-going -q ir_measures_relative/pt_docs build/docs
	@echo "build/docs/index.html"

clean:  ## remove the virtual environment and everything that was generated
	rm -rf $(VENV) .venv-matrix build dist demo-figures *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are newer than pyproject.toml once an install has succeeded. The package itself is
# installed in editable form, so a change of its code needs no new install.
$(VENV)/.test: pyproject.toml $(VENV)/.made
	@echo "installing the package and what its tests need into $(VENV) (minutes the first time)"
	$(PIP) '.[test]'
	@touch $(VENV)/.demo $@

$(VENV)/.demo: pyproject.toml $(VENV)/.made
	@echo "installing the package into $(VENV)"
	$(PIP) '.[plots]'
	@touch $@

$(VENV)/.docs: pyproject.toml $(VENV)/.made
	@echo "installing the package and Sphinx into $(VENV)"
	$(PIP) '.[docs]'
	@touch $@

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { \
		echo "There is no '$(PYTHON)' here: install Python 3.10 or newer, or name one with 'make PYTHON=...'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "'$(PYTHON)' is older than Python 3.10: name a newer one with 'make PYTHON=...'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: install its venv module (Debian and Ubuntu:" >&2; \
		echo "the package python3-venv), or name another Python with 'make PYTHON=...'." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@
