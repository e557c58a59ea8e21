# One target per chore; `make help` lists them. Everything is installed into .venv, nothing outside this folder, but
# for the browser that the lab is tested in, where this user may install it.
# Needs python3 (3.11 or newer, with venv and pip), make and a C++20 compiler; cmake and ninja are fetched when needed.

PYTHON ?= python3
JOBS ?= 2
SECONDS ?= 300
SAMPLE ?= 600

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
DONE := .venv/done
SOURCES := pyproject.toml CMakeLists.txt $(shell find core src -type f -not -name '*.so' -not -path '*/__pycache__/*' \
             -not -path 'core/tests/*')
CPP := $(shell find core -name '*.hpp' -o -name '*.cpp' -o -name '*.inc')

.DEFAULT_GOAL := help
.PHONY: help demo test test-core test-arm64 installed test-python bench evidence docs docs-check sdist wheel wheels sbom pictures lint format coverage fuzz mutation \
        develop clean

help:  ## show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(DONE)/package  ## train and predict on a real table through the command line
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python examples/demo.py

test: $(DONE)/core  ## all tests: the core's own, again with sanitizers, then the package as installed
	@$(MAKE) --no-print-directory -j 2 test-core installed
	@$(MAKE) --no-print-directory test-python

test-core: $(DONE)/core  ## the core's own C++ tests, plain and with sanitizers
	@PATH="$(CURDIR)/$(BIN):$$PATH" && unset MAKEFLAGS && cmake --workflow --preset tests && cmake --workflow --preset sanitize

test-arm64: $(DONE)/core $(DONE)/arm64  ## the core's C++ tests compiled for arm64 and run by qemu, and the same bits as here
	@PATH="$(CURDIR)/$(BIN):$$PATH" && unset MAKEFLAGS && cmake --workflow --preset arm64 \
	  && cmake --preset tests && cmake --build --preset tests --target print_bits
	@build/tests/print_bits >build/bits-here && qemu-aarch64 -L /usr/aarch64-linux-gnu build/arm64/print_bits >build/bits-arm64
	@cat build/bits-arm64 && cmp build/bits-here build/bits-arm64 && echo "arm64 learns the same bits"

installed:  # one after the other, while the core's tests are compiled
	@$(MAKE) --no-print-directory -j 1 $(DONE)/package $(DONE)/test $(DONE)/browser

test-python: $(DONE)/package $(DONE)/test $(DONE)/browser  ## tests and doctests against the installed package
	@$(BIN)/python -m pytest -n $(JOBS)

bench: $(DONE)/package $(DONE)/bench  ## speed against other libraries, into benchmarks/RESULTS.md; GROUP=training for one group
	@$(BIN)/python -m benchmarks $(if $(GROUP),--group $(GROUP))

evidence: $(DONE)/package  ## check the package on real data, from the folder that ROSENBLATT_DATA names
	@$(BIN)/python -m evidence && $(BIN)/python -m evidence.crash_recovery && $(BIN)/python -m evidence.failing_calls \
	  && $(BIN)/python -m evidence.time_estimate && $(BIN)/python -m evidence.worker_kills \
	  && $(BIN)/python -m evidence.serve_kills

docs: $(DONE)/package $(DONE)/docs  ## the documentation site, into build/site; a warning is an error
	@$(BIN)/python docs/site/build.py build/site

docs-check: docs $(DONE)/test $(DONE)/browser  ## visit every page of the site in a browser: links, console, axe, search; play the lessons offline
	@$(BIN)/python docs/site/check_site.py build/site

sdist: $(DONE)/wheel  ## the source archive, into dist
	@$(BIN)/python -m build --sdist --outdir dist && $(BIN)/twine check --strict dist/*.tar.gz

wheel: $(DONE)/wheel  ## the wheel of this platform, into dist: built, audited, and used in every Python found; STEPS=audit for some
	@$(BIN)/python release/build_wheels.py $(STEPS)

wheels: $(DONE)/wheel  ## the wheels that are published, by cibuildwheel into dist; PLATFORM=pyodide for the browser
	@$(BIN)/python -m cibuildwheel --output-dir dist $(if $(PLATFORM),--platform $(PLATFORM))

sbom: $(DONE)/wheel  ## the packages that come with rosenblatt and their licences, as CycloneDX into dist
	@mkdir -p dist build && rm -rf build/sbom && $(PYTHON) -m venv build/sbom && build/sbom/bin/python -m pip --quiet --disable-pip-version-check install $(firstword $(wildcard dist/*.whl) .) \
	  && $(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-file dist/rosenblatt.cdx.json build/sbom/bin/python

pictures: $(DONE)/package $(DONE)/test  ## draw the pictures of the guide anew
	@$(BIN)/python docs/make_pictures.py docs/pictures

lint: $(DONE)/package $(DONE)/test $(DONE)/lint  ## ruff, mypy, clang-format, oxlint, the layers, and public names without documentation
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run -Werror $(CPP)
	@$(BIN)/oxlint --quiet src/rosenblatt/lab/static tests/lab/javascript
	@$(BIN)/python docs/layer_graph.py
	@$(BIN)/python -m pytest tests/test_docs.py tests/lab/test_javascript.py -k 'public or rules'

format: $(DONE)/lint  ## rewrite Python and C++ sources in the agreed format
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP)

coverage: $(DONE)/package $(DONE)/test $(DONE)/browser $(DONE)/coverage  ## what the tests reach, in Python and in C++
	@$(BIN)/python -m pytest -n $(JOBS) --cov=rosenblatt --cov-branch --cov-report=term:skip-covered
	@PATH="$(CURDIR)/$(BIN):$$PATH" && unset MAKEFLAGS && cmake --workflow --preset coverage \
	  && gcovr --root . --filter core/ --exclude core/tests --exclude core/fuzz --print-summary build/coverage | tail -3

fuzz: $(DONE)/package $(DONE)/test $(DONE)/core $(DONE)/clang $(DONE)/fuzz  ## give all readers mutated inputs for five minutes, or SECONDS=
	@PATH="$(CURDIR)/$(BIN):$$PATH" && unset MAKEFLAGS && cmake --workflow --preset fuzz
	@$(BIN)/python tests/fuzz/campaign.py --seconds $(SECONDS)

mutation: develop $(DONE)/coverage $(DONE)/mutation  ## which of 600 small changes of the sources do the tests not notice? SAMPLE= for more; installs in place
	@$(BIN)/python tests/mutation/score.py python --sample $(SAMPLE) --jobs $(JOBS)
	@$(BIN)/python tests/mutation/score.py core --sample $(SAMPLE) --jobs $(JOBS)

develop: $(DONE)/develop $(DONE)/test  ## from now on install in place: edits of Python count at once, C++ is compiled as far as changed
	@rm -f $(DONE)/package && $(MAKE) --no-print-directory $(DONE)/package

clean:  ## remove everything these targets made
	rm -rf .venv build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What is installed, and since when. pip reads dependency groups from version 25.1 on.

$(DONE)/venv:
	@echo "making .venv"
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'rosenblatt needs Python 3.11 or newer')"
	@$(PYTHON) -m venv .venv
	@$(PIP) install "pip>=25.1"
	@mkdir -p $(DONE) && touch $@

$(DONE)/package: $(DONE)/venv $(SOURCES)
	@echo "compiling and installing rosenblatt (a minute or two)"
	@$(PIP) install $(if $(wildcard $(DONE)/develop),--no-build-isolation --editable) .
	@touch $@

$(DONE)/core $(DONE)/test $(DONE)/docs $(DONE)/wheel $(DONE)/lint $(DONE)/coverage $(DONE)/develop $(DONE)/mutation: $(DONE)/%: $(DONE)/venv pyproject.toml
	@echo "installing what $* needs"
	@$(PIP) install --group $*
	@touch $@

$(DONE)/bench: $(DONE)/venv pyproject.toml
	@echo "installing the libraries to compare with"
	@$(PIP) install --group bench || $(BIN)/python -c "import tomllib; \
	  print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['bench'], sep='\n')" \
	  | while read -r one; do $(PIP) install "$$one" || echo "the benchmarks skip $$one, which could not be installed"; done
	@touch $@

$(DONE)/fuzz: $(DONE)/venv pyproject.toml
	@echo "installing what fuzz needs"
	@$(PIP) install --group fuzz || echo "atheris cannot be installed here: only the core is fuzzed"
	@touch $@

$(DONE)/clang: $(DONE)/venv
	@command -v clang++ >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && echo "installing clang" && apt-get -qq update >/dev/null && apt-get -qq install -y clang >/dev/null; } \
	  || { echo "make fuzz needs clang, which has libFuzzer: install it first"; exit 1; }
	@touch $@

$(DONE)/arm64: $(DONE)/venv
	@{ command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && echo "installing a compiler for arm64 and qemu" && apt-get -qq update >/dev/null \
	  && apt-get -qq install -y g++-aarch64-linux-gnu qemu-user >/dev/null; } \
	  || { echo "make test-arm64 needs aarch64-linux-gnu-g++ and qemu-aarch64: install them first"; exit 1; }
	@touch $@

# Debian's Chromium, for tests/e2e. Not fetched where apt is not this user's to use: those tests are then skipped.
$(DONE)/browser: $(DONE)/venv
	@command -v chromium >/dev/null && touch $@ || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && echo "installing Chromium" && apt-get -qq update >/dev/null && apt-get -qq install -y chromium >/dev/null && touch $@; } \
	  || echo "no Chromium, and it cannot be installed from here: the lab's tests in a browser are skipped"
