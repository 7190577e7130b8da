# Every task by name; `make help` lists them.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements/penstock.lock requirements/dev.lock

.DEFAULT_GOAL := help
.PHONY: help up test check format lint types contracts unit lock reference messages bench clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/.made:
	@tools/make-venv $(PYTHON) $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/penstock.lock pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/penstock.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

up: $(VENV)/.run ## run one broker on 127.0.0.1:9092 with its data in ./penstock-data
	@exec $(BIN)/penstock up --data ./penstock-data $(ARGS)

lock: $(VENV)/.dev ## resolve the dependencies anew
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 pyproject.toml --group build -o requirements/penstock.lock --upgrade
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 pyproject.toml --group dev -o requirements/dev.lock --upgrade

clean: ## remove what the build made (not ./penstock-data)
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
