#!/usr/bin/env bash
# The environments of this repository as a JSON list: every configs/NAME.yaml with `environment`.
set -o errexit
set -o nounset
set -o pipefail

for file in configs/*.yaml; do
  if grep --quiet '^environment:' "${file}"; then
    basename "${file}" .yaml
  fi
done | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read().split()))'
