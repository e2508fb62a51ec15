# shellcheck shell=bash
# Shared part of every job file. Exit codes of the job: 92 wrong environment, 93 no progress,
# 94 NCCL does not use EFA; others are those of the program.
# shellcheck disable=SC2034,SC2329
# -- begin
readonly EXIT_ENVIRONMENT=92

say() {
  printf '%s job %s: %s\n' "$(date --utc +%FT%TZ)" "$SLURM_JOB_ID" "$*"
}

fail() {
  say "$2"
  exit "$1"
}
