# shellcheck shell=bash
# Shared part of servers: the address is published while the server answers its health path.
# shellcheck disable=SC2034,SC2153,SC2154,SC2329
# -- begin
readonly EXIT_UNHEALTHY=95
STEP_PID=
HEALTH_FAILURES=0

healthy() {
  curl --silent --fail --max-time 10 --output /dev/null "http://$HEAD_NODE:$PORT/health"
}

# Other jobs read the file: it is there only while the server answers.
withdraw_address() {
  rm --force "$RUN_PATH/address"
}

begin_serving() {
  command -v curl >/dev/null || fail "$EXIT_ENVIRONMENT" 'curl is missing: it asks the server for its health'
  mkdir --parents "$RUN_PATH" || fail "$EXIT_ENVIRONMENT" "$RUN_PATH cannot be created"
  withdraw_address
  trap withdraw_address EXIT
  trap 'exit 143' TERM
  HEAD_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed --quiet 1p)
}

# Ends with 95 if the server does not become healthy: another start would not change that.
wait_until_healthy() {
  local deadline
  deadline=$(($(date +%s) + HEALTH_SECONDS))
  until healthy; do
    kill -0 "$STEP_PID" 2>/dev/null ||
      fail "$EXIT_UNHEALTHY" 'the server ended before it was healthy: see the log above'
    if (($(date +%s) >= deadline)); then
      scancel --signal=TERM "$SLURM_JOB_ID" || true
      fail "$EXIT_UNHEALTHY" "the server was not healthy within $HEALTH_SECONDS s"
    fi
    sleep 5
  done
  printf 'http://%s:%s\n' "$HEAD_NODE" "$PORT" >"$RUN_PATH/address.new"
  mv "$RUN_PATH/address.new" "$RUN_PATH/address"
  say "healthy: $(cat "$RUN_PATH/address")"
}

# A server that was healthy and no longer is starts again.
serve() {
  local code=0
  wait_until_healthy
  while kill -0 "$STEP_PID" 2>/dev/null && ((HEALTH_FAILURES < 3)); do
    sleep 20
    if healthy; then
      HEALTH_FAILURES=0
    else
      HEALTH_FAILURES=$((HEALTH_FAILURES + 1))
    fi
  done
  withdraw_address
  if ((HEALTH_FAILURES >= 3)); then
    code=$EXIT_UNHEALTHY
    say 'the server was healthy, and does not answer any more: requeued'
  else
    wait "$STEP_PID" || code=$?
    say "the server ended with exit code $code after it had been healthy: requeued"
  fi
  scontrol requeue "$SLURM_JOB_ID"
  sleep 60
  exit "$code"
}
