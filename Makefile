# `make demo` and `make test` need only make and Python 3.11 or later; they set up .venv.
# PYTHON=python3.13 selects an interpreter; ARGS='-k fold' is passed to pytest.

PYTHON ?=
ARGS ?=
BIN := .venv/bin

.PHONY: help demo test check format strings runtime-venv dev-venv clean

help:
	@echo 'make demo    open a live demonstration'
	@echo 'make test    run the tests; ARGS="-k name" selects some'
	@echo 'make check   check format, lint, types, layers and spelling, then run the tests'
	@echo 'make format  fix format and lint with ruff'
	@echo 'make strings list every visible string in tests/architecture/strings.txt'
	@echo 'make clean   remove .venv and all caches'

demo: runtime-venv
	@$(BIN)/inspector demo

# Three workers on the two cores of continuous integration: many tests wait for a screen or for a
# writer in another process. Work is stolen between workers, because some tests are a hundred times
# as long as most.
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

strings: dev-venv
	@$(BIN)/python -m tests.architecture.strings

runtime-venv:
	@PYTHON='$(PYTHON)' .ci/venv runtime

dev-venv:
	@PYTHON='$(PYTHON)' .ci/venv dev

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	  .import_linter_cache .grimp_cache snapshot_report.html
