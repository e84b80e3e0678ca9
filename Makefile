# Two commands do everything on a machine that has Python >= 3.11 and make:
#   make demo    make test
# `make help` lists the others.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
SOURCES := pyproject.toml $(wildcard *_relative*.py) $(shell find ir_measures_relative -type f -not -name '*.pyc')
# where the installed package is: its doctests run there, not in this folder
PACKAGE = $(shell $(BIN)/python -I -c 'import ir_measures_relative as package; print(package.__path__[0])')
PYTEST := $(BIN)/pytest -q -n $(JOBS) --dist worksteal --timeout 900
WITH_FULL := -m 'not slow and not spark'

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-all lint format types pytest notebooks reproduce coverage-study fuzz extremes matrix bench docs browser eslint spark address clean

help:  ## list these targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

demo: $(VENV)/.demo  ## set up, then evaluate a simulated track
	$(BIN)/python -m ir_measures_relative demo

test: lint types pytest  ## set up, then lint, types, tests, doctests, README examples (5 minutes on two cores)

test-all: lint types $(VENV)/.installed  ## all of that, notebooks, documentation, reproductions, dask, browser; reports the coverage
	IR_MEASURES_RELATIVE_EXAMPLES=100 $(PYTEST) $(WITH_FULL) --nbmake --nbmake-timeout=600 --cov --cov-report=term:skip-covered tests $(PACKAGE) $(NOTEBOOKS)

lint: $(VENV)/.test  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet . || { echo "not formatted: run 'make format'" >&2; exit 1; }

format: $(VENV)/.test  ## write the code as ruff formats it
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

types: $(VENV)/.test  ## mypy
	$(BIN)/mypy

pytest: $(VENV)/.installed  ## tests, doctests and README examples; says what was skipped and why
	$(PYTEST) tests $(PACKAGE)

notebooks: $(VENV)/.installed  ## run the notebooks and store in them what they show
	$(BIN)/pytest -q --nbmake --nbmake-timeout=600 --overwrite $(NOTEBOOKS)

reproduce: $(VENV)/.installed  ## recompute the numbers that the papers print, and write the tables and figures of that page
	$(BIN)/python docs/reproduce.py

coverage-study: $(VENV)/.installed  ## count how often label intervals contain the truth on real tracks, and write the tables of that page
	$(BIN)/python docs/coverage_study.py

fuzz: $(VENV)/.installed  ## twenty times as many random inputs for each measure, other ones each time
	IR_MEASURES_RELATIVE_FUZZ=20 $(PYTEST) $(WITH_FULL) tests/test_fuzz.py tests/input/test_plain_fields.py tests/measures/test_every_measure.py

extremes: $(VENV)/.installed  ## the largest inputs: 100,000 topics, rankings of 100,000 documents
	$(BIN)/pytest -q -m slow --durations=0 tests

matrix: $(VENV)/.test  ## the tests with other versions of Python, numpy, pandas, ir_measures (nox); SESSIONS names some of them
	$(BIN)/nox $(if $(SESSIONS),--session $(SESSIONS))

bench: $(VENV)/.installed  ## run every benchmark; prints ratios as Markdown tables
	@set -e; for benchmark in $(sort $(wildcard benchmarks/bench_*.py)); do \
		echo "== $$benchmark"; $(BIN)/python $$benchmark; done

docs: $(VENV)/.docs  ## build the documentation into build/docs; warnings are errors
	$(BIN)/python docs/measure_pages.py >/dev/null
	$(BIN)/python docs/build.py build/docs
	@echo "build/docs/index.html"

eslint:  ## ESLint over the script of reports, where node is there (npx fetches it)
	@if ! command -v npx >/dev/null; then echo "there is no npx: the script of reports is not linted"; else \
		cd ir_measures_relative/_report/templates && cat parts.js tables.js charts.js views.js pages.js frame.js \
		| npx --yes eslint@9 --config ../../../docs/eslint.config.mjs --stdin --stdin-filename report.js; fi

browser:  ## install Chromium and its driver, for the tests of reports, where apt-get is there and allowed
	@if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then \
		echo "Chromium and its driver are there"; \
	elif ! command -v apt-get >/dev/null; then \
		echo "there is no apt-get: the tests that need a browser will be skipped"; \
	elif ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver; } \
		>/dev/null 2>&1; then \
		echo "apt-get could not install chromium and chromium-driver: the tests that need a browser will be skipped"; \
	fi

spark: $(VENV)/.installed  ## install pyspark, which needs Java, and test calc_part on a real Spark
	@command -v java >/dev/null || { \
		echo "There is no Java here, which Spark needs: install Java 17 or newer (Debian and Ubuntu: the package" >&2; \
		echo "openjdk-17-jre-headless), and see that 'java -version' answers." >&2; exit 1; }
	$(PIP) 'pyspark>=3.5'
	$(BIN)/pytest -q -m spark tests/stream/test_spark.py

address:  ## fill in the address of the repository everywhere: make address URL=https://github.com/name/repository
	$(PYTHON) docs/release.py address '$(URL)'

clean:  ## remove the virtual environment and everything that was generated
	rm -rf $(VENV) .nox build dist demo-figures demo-report.html *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are newer than what they depend on once an install has succeeded. The tests run on the package as users
# get it, built and installed; `.installed` builds it anew when a file of it has changed.
$(VENV)/.test: pyproject.toml $(VENV)/.made
	@echo "installing the package and what its tests need into $(VENV) (minutes the first time)"
	$(PIP) '.[test]'
	@touch $@ $(VENV)/.demo $(VENV)/.installed

$(VENV)/.installed: $(SOURCES) $(VENV)/.test
	$(PIP) --no-deps --no-build-isolation --force-reinstall .
	@touch $@

$(VENV)/.demo: $(SOURCES) $(VENV)/.made
	@echo "installing the package into $(VENV)"
	$(PIP) '.[plots]'
	@touch $@

$(VENV)/.docs: $(SOURCES) $(VENV)/.made
	@echo "installing the package and Sphinx into $(VENV)"
	$(PIP) '.[docs]'
	@touch $@

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { \
		echo "There is no '$(PYTHON)' here: install Python 3.11 or newer, or name one with 'make PYTHON=...'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "'$(PYTHON)' is older than Python 3.11: name a newer one with 'make PYTHON=...'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: install its venv module (Debian and Ubuntu:" >&2; \
		echo "the package python3-venv), or name another Python with 'make PYTHON=...'." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@
