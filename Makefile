# Set-up and checks. `make demo` and `make test` need Python >= 3.11 (with venv) and make.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip -q --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo install test soak coverage check hooks house audit models bench lock dist site browser clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.base ## set up .venv, tell the default model a story, talk to it
	@$(BIN)/memnn demo

install: $(VENV)/.extras ## set up .venv/bin/memnn with every extra

test: $(VENV)/.dev browser ## all tests that fit into minutes
	$(BIN)/pytest -n 3 --dist loadfile

soak: $(VENV)/.dev ## the tests that count on large numbers: threads, races, crashes
	$(BIN)/pytest -m soak

coverage: $(VENV)/.dev browser ## the same tests as `make test`, and which lines they reach
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n 3 --dist loadfile
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

check: $(VENV)/.dev ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

hooks: $(VENV)/.dev ## run the checks before every commit
	$(BIN)/pre-commit install

house: $(VENV)/.dev ## the measures of docs/architecture.md, counted anew
	$(BIN)/python -m benchmarks.house -o docs/architecture.md

audit: $(VENV)/.dev ## licences, hashes, vulnerabilities and age of what is installed
	$(BIN)/python -m benchmarks.audit $(AUDIT)

models: $(VENV)/.dev ## train the network that comes with the package anew
	$(BIN)/python -m benchmarks.default_models

bench: $(VENV)/.dev ## measure speed beside other implementations, write docs/results
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

# Ranges stand in pyproject.toml, exact versions in constraints.txt, hashes in requirements.lock.
# PyTorch is left out: which build of the version in constraints.txt is the right one (CPU, CUDA) is
# the machine's to say.
lock: $(VENV)/.dev ## write requirements.lock anew, from pyproject.toml and constraints.txt
	@rm -f requirements.lock
	@$(BIN)/uv pip compile -q pyproject.toml -c constraints.txt --universal --python-version 3.11.5 \
		--extra plots --extra milvus --extra mcp --extra langchain --extra llama-index --extra docs --extra dev \
		--generate-hashes --no-header --no-annotate --no-emit-index-url -o requirements.lock

site: $(VENV)/.dev ## build the documentation into site/
	$(BIN)/zensical build --strict

dist: $(VENV)/.dev ## build wheel and sdist into dist/
	$(BIN)/uv build -q --build-constraint constraints.txt

clean: ## remove .venv
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
	@$(PIP) install -c constraints.txt -e '.[recurrent,plots,milvus,mcp,docs,dev]'
	@touch $@
