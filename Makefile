# `make demo` and `make test` need Python 3.11 or later and make, and see to the rest themselves.
# PYTHON=python3.13 chooses an interpreter; ARGS='-k fold' goes to pytest.

PYTHON ?=
ARGS ?=
BIN := .venv/bin

.PHONY: help demo test check format runtime-venv dev-venv clean

help:
	@echo 'make demo    a workspace that runs by itself, on the screen'
	@echo 'make test    the tests; ARGS="-k name" for some of them'
	@echo 'make check   format, lint, types, layers, spelling, then the tests'
	@echo 'make format  let ruff put the code in order'
	@echo 'make clean   remove .venv and what the tools left behind'

demo: runtime-venv
	@$(BIN)/inspector demo

# Three workers: many tests wait for a screen or for a writer that is a program of its own, and two
# cores, which is what continuous integration gives, have time left for one more. A worker that is
# done takes over from the others: some tests are a hundred times as long as most.
test: dev-venv
	@$(BIN)/python -m pytest -n 3 --dist worksteal $(ARGS)

check: dev-venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	@$(MAKE) --no-print-directory test

format: dev-venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

runtime-venv:
	@PYTHON='$(PYTHON)' .ci/venv runtime

dev-venv:
	@PYTHON='$(PYTHON)' .ci/venv dev

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	  .import_linter_cache .grimp_cache snapshot_report.html
