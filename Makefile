# `make demo` and `make test` are all a newcomer needs; each sets up .venv by itself.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
BUILT_FROM := pyproject.toml setup.py constraints.txt $(wildcard src/gecbench/server/locale/*/LC_MESSAGES/*.po) $(wildcard src/gecbench/edits/*.cpp) $(wildcard src/gecbench/lang/*/*.cpp)
# Without the reference data golden tests skip, and cover less.
COVERAGE ?= $(if $(wildcard ../shared),98,94)
# Tracing takes a third of the time; `make test COVERED=` leaves it out.
COVERED ?= --cov --cov-report=term --cov-fail-under=$(COVERAGE)
SAMPLES := src/gecbench/samples
DEMO := cautious.txt eager.txt fluent.txt

.PHONY: demo test check lint fix golden bench clean

demo: $(VENV)/.demo
	@$(BIN)/gecbench score $(SAMPLES)/zh/corpus.jsonl $(DEMO:%=$(SAMPLES)/zh/%) --scheme zh-char --by origin
	@$(BIN)/gecbench report $(SAMPLES)/zh/corpus.jsonl $(DEMO:%=$(SAMPLES)/zh/%) --scheme zh-char \
		--language zh -o demo-zh.html
	@$(BIN)/gecbench report $(SAMPLES)/en/corpus.jsonl $(DEMO:%=$(SAMPLES)/en/%) \
		--language en -o demo-en.html
	@printf '\nThe same and more to look at in a browser:\n  %s\n  %s\n' \
		"file://$(CURDIR)/demo-zh.html" "file://$(CURDIR)/demo-en.html"

test: $(VENV)/.dev
	$(BIN)/pytest -n auto --dist worksteal $(COVERED)
	$(MAKE) --no-print-directory lint

# The fast loop: style, types, layers, unit and property tests with fewer examples.
check: lint
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q -n auto tests/unit tests/property

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: $(VENV)/.dev
	$(BIN)/pytest tests/golden

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/growth.py

# Debian keeps the part of venv that brings pip in a package of its own.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing; install it, or name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq $(PYTHON)-venv; } || \
		{ echo "$(PYTHON) cannot make environments; run: sudo apt-get install $(PYTHON)-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.demo: $(BIN)/python $(BUILT_FROM)
	$(PIP) --editable '.[report,en,spelling]'
	@touch $@

$(VENV)/.dev: $(BIN)/python $(BUILT_FROM)
	$(PIP) torch  # first, so that what needs it takes this one
	$(PIP) --editable '.[all,dev]'
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) build dist demo-*.html src/*.egg-info src/gecbench/edits/*.so src/gecbench/lang/*/*.so
