# Set-up and checks. `make demo` and `make test` need Python >= 3.11 (with venv) and make.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip -q --disable-pip-version-check

.PHONY: demo install test check bench browser clean

demo: $(VENV)/.base
	@$(BIN)/memnn demo

install: $(VENV)/.extras

test: $(VENV)/.dev browser
	$(BIN)/pytest -n 2 --dist loadgroup

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.stories -o docs/results/benchmarks
	$(BIN)/python -m benchmarks.server --kill -o docs/results/server
	$(BIN)/python -m benchmarks.store -o docs/results/store

# The page is tested in a real browser. Where there is none and it can be installed, it is; else
# these tests are skipped and say so.
browser:
	@for b in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v $$b >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing chromium for the tests of the page …"; \
		{ apt-get install -qq -y chromium || { apt-get update -qq && apt-get install -qq -y chromium; }; } \
			>/dev/null 2>&1 || echo "chromium cannot be installed: the tests of the page are skipped"; \
	else echo "There is no chromium or chrome: the tests of the page are skipped"; fi

clean:
	rm -rf $(VENV)

# The environment: the base install, enough for the demo ...
$(VENV)/.base: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "memnn needs Python 3.11 or newer, and none was found: install it, or run make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing: install it (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 2; }
	@echo "Setting up $(VENV) (a minute or two, once) …"
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(PIP) install -c constraints.txt -e .
	@touch $@

# ... every extra ...
$(VENV)/.extras: $(VENV)/.base
	@echo "Adding the extras (some minutes, once) …"
	@$(PIP) install -c constraints.txt -e '.[recurrent,plots,milvus,mcp]'
	@touch $@

# ... and the tools for tests and development.
$(VENV)/.dev: $(VENV)/.extras
	@$(PIP) install -c constraints.txt -e '.[recurrent,plots,milvus,mcp,dev]'
	@touch $@
