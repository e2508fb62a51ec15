# Every target sets up what it needs; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench mutants docs lock clean
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

# The programs of this checkout, whatever else is on the caller's PATH.
BIN := $(CURDIR)/.venv/bin
export PATH := $(BIN):$(PATH)
# Number of test processes; the tests of one file stay together and share its fixtures. One more
# than processors, because tests of booted clusters mostly wait.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); [ "$$n" -le 4 ] || n=4; echo "$$((n + 1))")
# With it, every start of every command would compile the modules again.
unexport PYTHONDONTWRITEBYTECODE

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; \
	do printf '  make %-7s %s\n' "$$name" "$$text"; done

setup:  ## build .venv/ (rebuilds only what changed); needs Python 3.11 or newer
	@scripts/setup.sh

demo: .venv-current  ## deploy, change and destroy a cluster on the local AWS (PLATFORM=eks)
	@"$(BIN)/python" -m demo $(if $(PLATFORM),--platform $(PLATFORM))

test: .venv-current  ## run every test suite and the linters (ARGS='tests/cluster_spec -k name')
	@"$(BIN)/python" -m tools.setup.clients
	@"$(BIN)/python" -m tools.setup.browser
	@"$(BIN)/python" -m tools.setup.promtool
	@"$(BIN)/python" -m tools.setup.prometheus
	@"$(BIN)/python" -m tools.setup.moto_tests
	@"$(BIN)/python" -m tools.supervise -m pytest --numprocesses=$(JOBS) --dist=loadfile --no-loadscope-reorder $(ARGS)

lint: .venv-current  ## run the linters alone (FIX=1 fixes what can be fixed)
	@"$(BIN)/python" -m tools.lint $(if $(FIX),--fix)

bench: .venv-current  ## measure start-up, synthesis and deployment side by side (ARGS='--quick')
	@"$(BIN)/python" -m tools.setup.clients
	@"$(BIN)/python" -m benchmarks $(ARGS)

mutants: .venv-current  ## change lines that matter and see that tests fail (ARGS=nodes)
	@"$(BIN)/python" -m tools.mutants $(ARGS)

docs: .venv-current  ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 "$(BIN)/python" -m mkdocs build --strict --quiet
	@echo "docs: site/index.html"

lock: .venv-current  ## update the pinned requirements and the CDK CLI (UPGRADE=1 takes newer versions)
	@UPGRADE="$(UPGRADE)" scripts/lock.sh

clean:  ## remove .venv/ and everything else that make created
	@scripts/clean.sh

.PHONY: .venv-current
.venv-current:
	@scripts/setup.sh --quiet
