# shellcheck shell=bash
# Shared part of the scripts in pods. Exit codes: 92 wrong environment, 93 no progress.
# shellcheck disable=SC2034,SC2329
# -- begin
readonly EXIT_ENVIRONMENT=92

say() {
  printf '%s %s: %s\n' "$(date -u +%FT%TZ)" "$HOSTNAME" "$*"
}

fail() {
  say "$2"
  exit "$1"
}
