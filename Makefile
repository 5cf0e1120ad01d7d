# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench controls faults machine coverage recordings clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[harness,dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/rebuild-harness replay golden --out reports/demo

test: $(VENV)/.installed
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	$(BIN)/pytest -n auto
	$(BIN)/rebuild-harness controls

lint: $(VENV)/.installed
	$(BIN)/ruff check --fix . && $(BIN)/ruff format . && $(BIN)/mypy

bench: $(VENV)/.installed
	$(BIN)/python -m harness.bench

faults: $(VENV)/.installed
	$(BIN)/rebuild-harness faults scenarios/rebuild/nights scenarios/collab

machine: $(VENV)/.installed
	ROOMS_STEPS=10000 $(BIN)/pytest -q -s tests/collab/test_machine_of_rooms.py tests/collab/test_machine_of_holds.py \
		tests/collab/test_machine_of_the_ledger.py
	DELEGATIONS_STEPS=10000 $(BIN)/pytest -q -s tests/collab/test_machine_of_delegations.py

coverage: $(VENV)/.installed
	$(BIN)/coverage run -m pytest -q
	$(BIN)/coverage report --skip-covered

# Needs npm and tmux; look at what changed, and at what `pytest --update-golden` then says, before it is committed.
recordings: $(VENV)/.installed
	$(BIN)/python -m harness.lab.recordings golden/cli 2.0.42 2.1.112 2.1.199 2.1.232 2.1.260 2.1.332

controls: $(VENV)/.installed
	$(BIN)/rebuild-harness controls

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage reports/demo
