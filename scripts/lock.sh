#!/usr/bin/env bash
# Writes requirements/*.txt from pyproject.toml, and the lock files of tools/cdk-cli,
# tools/old-python and tools/browser from their package.json. Pins that still fit are kept;
# `make lock UPGRADE=1` takes newer ones.
# Nothing written here names a package index: the index is configured on the machine.
set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly bin="${PWD}/.venv/bin"
common=(
  --quiet
  --universal
  --python-version 3.11
  --generate-hashes
  --no-emit-index-url
  --custom-compile-command "make lock"
)
if [[ -n "${UPGRADE:-}" ]]; then
  common+=(--upgrade)
fi

compile() {
  local output="$1"
  shift
  echo "lock: ${output}" >&2
  "${bin}/uv" pip compile "${common[@]}" --output-file "${output}" "$@"
}

# dev contains everything, so it is resolved first, and the others take its versions.
compile requirements/uv.txt requirements/uv.in
readonly ours=(--no-emit-package clusterwright --no-emit-package clusterwright-localaws)
compile requirements/dev.txt pyproject.toml packages/*/pyproject.toml --all-extras "${ours[@]}"
compile requirements/core.txt pyproject.toml --constraint requirements/dev.txt
compile requirements/cdk.txt pyproject.toml --extra cdk --constraint requirements/dev.txt
compile requirements/localaws.txt packages/localaws/pyproject.toml "${ours[@]}" \
  --constraint requirements/dev.txt

# Third-party clients of the tests: each has a separate environment.
compile requirements/clients/aws-cli.txt requirements/clients/aws-cli.in
compile requirements/clients/pcluster.txt requirements/clients/pcluster.in
compile requirements/clients/hyp.txt requirements/clients/hyp.in \
  --overrides requirements/clients/hyp-overrides.in
compile requirements/clients/mlperf.txt requirements/clients/mlperf.in \
  --overrides requirements/clients/mlperf-overrides.in

# moto's own tests run in our environment, with its versions.
compile requirements/moto-tests.txt requirements/moto-tests.in --constraint requirements/dev.txt
# They are read and not imported: for the one Python that all of them have wheels for.
for name in framework-sources framework-sources-neuron; do
  echo "lock: requirements/${name}.txt" >&2
  "${bin}/uv" pip compile --quiet --no-deps --python-version 3.12 --generate-hashes \
    --python-platform x86_64-manylinux_2_28 --no-emit-index-url \
    --custom-compile-command "make lock" ${UPGRADE:+--upgrade} \
    --output-file "requirements/${name}.txt" "requirements/${name}.in"
done

for folder in tools/cdk-cli tools/old-python tools/browser; do
  echo "lock: ${folder}/package-lock.json" >&2
  PATH="${bin}:${PATH}" "${bin}/npm" install --prefix "${folder}" --package-lock-only \
    --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund --silent
done
