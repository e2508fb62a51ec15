#!/usr/bin/env bash
# gate.sh FOLDER: fails if a command of review.sh or drift.sh failed.
#
# Exit code 2 (something is unknown) passes unless STRICT=1: without credentials every account rule
# is unknown.
set -o errexit
set -o nounset
set -o pipefail

failed=0
while read -r command code; do
  if [[ "${code}" == 0 ]]; then
    continue
  fi
  if [[ "${code}" == 2 && "${STRICT:-}" != 1 ]]; then
    echo "${command}: something is unknown"
    continue
  fi
  echo "${command}: failed with ${code}"
  failed=1
done <"$1/codes"
exit "${failed}"
