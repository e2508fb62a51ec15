#!/usr/bin/env bash
# review.sh NAME BASE FOLDER: check, cost, synthesise and diff one environment against a commit.
#
# Writes check.sarif, check.xml, cost.md, comment.md and codes into FOLDER and continues
# after a finding; gate.sh turns the codes into success or failure. OFFLINE=1 skips what requires
# credentials.
set -o errexit
set -o nounset
set -o pipefail

name="$1" base="$2" folder="$3"
config="configs/${name}.yaml"
offline=()
if [[ "${OFFLINE:-}" == 1 ]]; then
  offline=(--offline)
fi
mkdir -p "${folder}"
: >"${folder}/codes"

# keep NAME FILE COMMAND...: runs the command with its output in FILE, and records the exit code.
keep() {
  local command="$1" file="$2" code=0
  shift 2
  "$@" >"${folder}/${file}" || code=$?
  printf '%s %s\n' "${command}" "${code}" >>"${folder}/codes"
}

keep check check.sarif clusterwright check "${config}" "${offline[@]}" --format sarif
keep junit check.xml clusterwright check "${config}" "${offline[@]}" --format junit
keep cost cost.md clusterwright cost "${config}" --format markdown
keep synth synth.log cdk synth -c "env=${name}" --quiet
keep diff comment.md clusterwright diff "${config}" --base "${base}" "${offline[@]}" --format markdown
cat "${folder}/codes"
