# Two commands do everything, also on a fresh machine:
#   make demo    serve the five ready studies with live simulated participants on http://127.0.0.1:8000 (PORT=9000: there)
#   make test    run every check, and every test but the slow ones (about eighteen minutes on two cores)
# Before a release, and after changes to store or web: make test-all (adds drills, timing, planted truth, soaks)
# Parts of the tests: make lint, make types, make plain, make browser, make slow, make timing, make soak
# Others: make setup, make docs, make mutants, make lock, make reference, make clean

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed-from-lock
DEMO_STAMP := $(VENV)/demo-from-lock
DOCS_STAMP := $(VENV)/docs-from-lock
NODE_STAMP := node_modules/installed-from-lock
# A line for each package, so that somebody who waits sees what for.
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-compile --progress-bar off
PYTEST := $(BIN)/python -m pytest
WITH_BROWSER := tests/browser tests/stimuli
SCRIPTS := '{src,tests}/**/*.{js,mjs}' '*.mjs'
# Compiled once here, so that not every process that starts first does it.
COMMON := believable.protocols, believable.analysis.run, believable.report.page, believable.simulate.crowd, believable.web.app
# Tests measure behaviour on small machines: no library may start threads of its own.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# Where this is set, every process of the tests would compile all libraries again, which takes longer than what it does.
unexport PYTHONDONTWRITEBYTECODE

PLATFORMS := linux darwin win32
.PHONY: demo test test-all setup docs lint types $(PLATFORMS:%=types-%) plain browser slow timing soak mutants browser-needed lock reference clean

# The demo needs less than the tests; where those are set up already, it needs nothing more.
demo: $(if $(wildcard $(STAMP)),$(STAMP),$(DEMO_STAMP))
	$(BIN)/believable demo --port $(PORT)

test: $(STAMP) $(NODE_STAMP) $(DOCS_STAMP) browser-needed
	@date +%s > $(VENV)/began
	$(MAKE) --no-print-directory -j 2 lint types docs
	$(MAKE) --no-print-directory -j 2 --output-sync=target plain browser
	@echo "make test: $$(( ($$(date +%s) - $$(cat $(VENV)/began)) / 60 )) min $$(( ($$(date +%s) - $$(cat $(VENV)/began)) % 60 )) s after setup"

test-all: test slow timing soak

setup: $(STAMP)

# The environment itself, with what a missing Python is told.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "make: $(PYTHON) was not found. believable needs Python 3.11 or newer:"; \
	  echo "make: install it (Debian: apt install python3 python3-venv) or name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is $$($(PYTHON) --version 2>&1); believable needs Python 3.11 or newer."; \
	  echo "make: install one and name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) cannot make virtual environments. Debian: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Everything: package, all extras, tools of the tests.
$(STAMP): requirements.lock pyproject.toml | $(BIN)/python
	@echo "make: installing the package with all extras and the tools of the tests (1.3 GB, a minute or two)"
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	$(BIN)/python -c "import $(COMMON)"
	touch $(STAMP)

# Only what the demo needs, at the same versions.
$(DEMO_STAMP): requirements-demo.lock pyproject.toml | $(BIN)/python
	@echo "make: installing what the demo needs (about 45 packages, 450 MB)"
	$(INSTALL) --require-hashes -r requirements-demo.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $(DEMO_STAMP)

$(DOCS_STAMP): requirements-docs.lock | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements-docs.lock
	touch $(DOCS_STAMP)

# The documentation as a site, in site/; a broken link is an error.
docs: $(DOCS_STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# Python, and the browser scripts: JavaScript whose comments hold the types.
lint: $(STAMP) $(NODE_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	node_modules/.bin/tsc
	node_modules/.bin/eslint .
	node_modules/.bin/prettier --check --log-level warn $(SCRIPTS)

# Each system with a cache of its own.
types: $(PLATFORMS:%=types-%)

$(PLATFORMS:%=types-%): types-%: $(STAMP)
	$(BIN)/mypy --platform $* --cache-dir .mypy_cache/$*

$(NODE_STAMP): package.json package-lock.json
	@command -v npm >/dev/null 2>&1 || { \
	  echo "make: npm installs what checks and bundles the browser scripts: TypeScript, eslint, prettier, esbuild."; \
	  echo "make: install Node.js 20 or newer with npm (Debian: sudo apt install nodejs npm) and run make again."; exit 1; }
	npm ci --silent --no-audit --no-fund
	touch $(NODE_STAMP)

# One for each of two cores: each process reads all tests first, and the browser tests run at the same time.
plain: $(STAMP)
	$(PYTEST) -n 2 --dist loadfile --no-loadscope-reorder -m "not browser and not slow"

# Separate processes, because the browser's driver keeps an event loop running in its own. Pages wait more than they
# compute, so `make test` runs them at the same time as the tests without a browser.
browser: $(STAMP) browser-needed
	$(PYTEST) -n 3 --dist worksteal -m "browser and not slow" $(WITH_BROWSER)

# Drills (servers are killed, disks fill up, databases restart), planted truth, packaging, PostgreSQL throughout.
slow: $(STAMP) browser-needed
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder -m "slow and not browser and not soak"
	$(PYTEST) -n 3 --dist worksteal -m "slow and browser and not timing and not soak" $(WITH_BROWSER)

# Browser tests that measure time: one after the other, while nothing else runs.
timing: $(STAMP) browser-needed
	$(PYTEST) -m "browser and timing" $(WITH_BROWSER)

# The long runs that every release needs and every change does not: property tests with many new examples.
soak: $(STAMP)
	$(PYTEST) -n 2 --dist worksteal --timeout 3600 --soak -m "soak or hypothesis"

# Plant faults in the modules that turn data into claims, and count how many the tests notice: N of them, chosen by SEED.
N ?= 120
SEED ?= 1
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants.named
	$(BIN)/python -m tests.mutants.run --count $(N) --seed $(SEED)

# Debian's chromium drives the pages in the tests. As root it is installed; anyone else is told what is missing.
browser-needed:
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
	  || command -v google-chrome >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	  else \
	    echo "make: the browser tests need Chromium. Install it (Debian: sudo apt install chromium) and run make test again."; \
	    exit 1; \
	  fi; }

# Every extra but `train`, whose library is too large to come along.
EXTRAS := postgres video models fast worlds doom gym town cluster oidc report s3 frames
# Names no index address: any mirror with the same files will do, the hashes decide.
# What a server runs with, and what builds the package: nothing of the tests.
SERVER_EXTRAS := postgres video s3 report oidc
COMPILE := uv pip compile --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11
lock:
	$(COMPILE) pyproject.toml $(EXTRAS:%=--extra %) --group dev -o requirements.lock
	$(COMPILE) pyproject.toml --extra video --group demo -c requirements.lock -o requirements-demo.lock
	$(COMPILE) --group docs -c requirements.lock -o requirements-docs.lock
	$(COMPILE) pyproject.toml $(SERVER_EXTRAS:%=--extra %) --group demo --no-annotate -c requirements.lock -o deploy/server.lock

# Pages of the documentation that come from the code.
reference: $(STAMP)
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) node_modules .mypy_cache .ruff_cache .hypothesis demo-study site
