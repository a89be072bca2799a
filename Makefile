# A newcomer needs Python 3.11 or newer and make; the rest is fetched into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tests print their progress; set PYTEST_ARGS to pick some.
PYTEST_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test unit integration docs upstream packaging lint format bench clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.package ## Two sessions over one file: remember, correct, forget
	$(BIN)/layered-memory demo

test: lint ## Everything that CI runs
	$(BIN)/python -m pytest tests $(PYTEST_ARGS)
	$(BIN)/python tests/run_langgraph_store_tests.py
	$(BIN)/python tests/packaging/check_wheel.py

unit: $(VENV)/.development ## The quick tests
	$(BIN)/python -m pytest tests/unit_tests $(PYTEST_ARGS)

integration: $(VENV)/.development ## The tests on real databases and models
	$(BIN)/python -m pytest tests/integration_tests $(PYTEST_ARGS)

docs: $(VENV)/.development ## Run README, docstrings and notebooks
	$(BIN)/python -m pytest tests/docs_tests $(PYTEST_ARGS)

upstream: $(VENV)/.development ## LangGraph's own store tests on LayeredStore
	$(BIN)/python tests/run_langgraph_store_tests.py

packaging: $(VENV)/.development ## The built wheel, alone and with each extra alone
	$(BIN)/python tests/packaging/check_wheel.py

lint: $(VENV)/.development ## ruff, mypy --strict and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.development ## Format the code, and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.development ## Speed beside LangGraph's stores; recall on LAYERED_MEMORY_EVAL_DATA
	$(BIN)/python tests/benchmarks/store_speed.py
	$(BIN)/python tests/benchmarks/recall_quality.py --no-embeddings
	$(BIN)/python tests/benchmarks/recall_quality.py

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.package: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.package requirements-dev.txt constraints-dev.txt
	$(BIN)/python -m pip install --quiet --requirement requirements-dev.txt --constraint constraints-dev.txt
	@touch $@
