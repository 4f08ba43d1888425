# `make demo` and `make test` are all a newcomer needs; each sets up .venv by itself.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SAMPLES := src/gecbench/samples

.PHONY: demo test check fix golden bench bare clean install

install: $(READY)

# Debian's python3 may lack ensurepip; virtualenv brings its own pip then.
$(READY): pyproject.toml constraints.txt src/gecbench/edits/_kernel.cpp
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[zh,dev]'
	touch $@

demo: $(READY)
	@$(BIN)/gecbench score $(SAMPLES)/zh/corpus.jsonl $(SAMPLES)/zh/cautious.txt $(SAMPLES)/zh/eager.txt $(SAMPLES)/zh/fluent.txt --scheme zh-char --by origin

# The fast loop: style, types, layers, unit and property tests with few examples.
check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q tests/unit tests/property

test: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --cov --cov-report=term --cov-fail-under=95

fix: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: $(READY)
	$(BIN)/pytest tests/golden

bench: $(READY)
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info src/gecbench/edits/*.so
