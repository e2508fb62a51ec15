#!/usr/bin/env bash
# gate.sh FOLDER: fails if anything that review.sh or drift.sh ran there failed.
#
# Exit code 2 (something could not be answered) passes unless STRICT=1: without credentials every
# account rule is unknown, which is no reason to stop work.
set -o errexit
set -o nounset
set -o pipefail

failed=0
while read -r command code; do
  if [[ "${code}" == 0 ]]; then
    continue
  fi
  if [[ "${code}" == 2 && "${STRICT:-}" != 1 ]]; then
    echo "${command}: not everything could be answered"
    continue
  fi
  echo "${command}: failed with ${code}"
  failed=1
done <"$1/codes"
exit "${failed}"
