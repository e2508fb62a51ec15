#!/bin/sh
# Removes what the other targets created; all of it is ignored by git.
set -o errexit
set -o nounset

cd "$(dirname "$0")/.."

rm -rf .venv .clusterwright .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache \
  build cdk.out dist site
find . -name __pycache__ -type d -prune -exec rm -rf {} +
