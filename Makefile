# Every target sets up what it needs; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench docs lock clean
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

# The programs of this checkout, whatever else is on the caller's PATH.
BIN := $(CURDIR)/.venv/bin
export PATH := $(BIN):$(PATH)
# Test files that run at a time; the tests of one file stay together and share what it made. Two
# more than processors: files with booted clusters wait most of the time.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); [ "$$n" -le 4 ] || n=4; echo "$$((n + 2))")
# With it, every start of every command would compile our modules anew.
unexport PYTHONDONTWRITEBYTECODE

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; \
	do printf '  make %-7s %s\n' "$$name" "$$text"; done

setup:  ## build .venv/ (again only where something changed); needs Python 3.11 or newer
	@scripts/setup.sh

demo: .venv-current  ## from one file to a cluster on the local AWS and down again (PLATFORM=eks)
	@"$(BIN)/python" -m demo $(if $(PLATFORM),--platform $(PLATFORM))

test: .venv-current  ## run every test suite, the linters among them (ARGS='tests/cluster_spec -k name')
	@"$(BIN)/python" -m tools.setup.clients
	@"$(BIN)/python" -m tools.setup.browser
	@"$(BIN)/python" -m pytest --numprocesses=$(JOBS) --dist=loadfile --no-loadscope-reorder $(ARGS)

lint: .venv-current  ## run the linters alone (FIX=1 mends what can be mended)
	@"$(BIN)/python" -m tools.lint $(if $(FIX),--fix)

bench: .venv-current  ## measure start-up, synthesis and deployment side by side (ARGS='--runs 3')
	@"$(BIN)/python" -m benchmarks $(ARGS)

docs: .venv-current  ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 "$(BIN)/python" -m mkdocs build --strict --quiet
	@echo "docs: site/index.html"

lock: .venv-current  ## pin the requirement files and the CDK CLI anew (UPGRADE=1 takes newer ones)
	@UPGRADE="$(UPGRADE)" scripts/lock.sh

clean:  ## remove .venv/ and everything else that make wrote
	@scripts/clean.sh

.PHONY: .venv-current
.venv-current:
	@scripts/setup.sh --quiet
