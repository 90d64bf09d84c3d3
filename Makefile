# Two commands do everything, also on a fresh machine:
#   make demo    serve a ready study with live simulated participants on http://127.0.0.1:8000
#   make test    run every check and every test
# Others: make setup, make lint, make types, make fast, make slow, make soak, make lock, make reference, make clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed-from-lock
PYTEST := $(BIN)/python -m pytest
# Tests measure behaviour on small machines: no library may start threads of its own.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test setup lint types fast slow soak browser-needed lock reference clean

demo: $(STAMP)
	$(BIN)/believable demo

test: lint types fast slow

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "make: $(PYTHON) was not found. believable needs Python 3.11 or newer:"; \
	  echo "make: install it (Debian: apt install python3 python3-venv) or name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is $$($(PYTHON) --version 2>&1); believable needs Python 3.11 or newer."; \
	  echo "make: install one and name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) cannot make virtual environments. Debian: apt install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

fast: $(STAMP)
	$(PYTEST) -n 2 --dist loadfile -m "not browser and not faults"

# Apart, because the browser's driver keeps an event loop running in its process and the fault tests run their own. Browser tests
# that measure time run one after the other, with the machine to themselves.
slow: $(STAMP) browser-needed
	$(PYTEST) -n 2 --dist loadfile -m faults
	$(PYTEST) -n 2 --dist loadfile -m "browser and not timing" tests/browser
	$(PYTEST) -n 2 --dist loadfile -m browser --ignore=tests/browser
	$(PYTEST) -m "browser and timing" tests/browser

# The long runs that every release needs and every change does not.
soak: $(STAMP) browser-needed
	$(PYTEST) --soak -m soak

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

# Names no index address: any mirror with the same files will do, the hashes decide.
lock:
	uv pip compile pyproject.toml --all-extras --group dev --universal --generate-hashes --no-header \
	  --no-emit-index-url --python-version 3.11 -o requirements.lock

# Pages of the documentation that come from the code.
reference: $(STAMP)
	$(BIN)/python -m believable.cli.reference > docs/reference/cli.md

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis demo-study
