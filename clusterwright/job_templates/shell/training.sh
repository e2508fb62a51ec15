# shellcheck shell=bash
# Shared part of training jobs: resume, save before the end, requeue, end without progress.
# A checkpoint is whole if it has the file MARKER, which the framework writes last.
# shellcheck disable=SC2034,SC2153,SC2154,SC2329
# -- begin
readonly EXIT_NO_PROGRESS=93 EXIT_NO_EFA=94
STEP_PID=
STEP_CODE=0
ENDING=0
SIGNALLED=0
START_STEP=-1
FAILURES=0
LOG=
LOG_START=1

# Counts the starts of this job since its last new checkpoint; a new submission begins at 0.
begin_training() {
  local id=0 before=-1 count=0 left
  mkdir --parents "$RUN_PATH" "$CHECKPOINTS" ||
    fail "$EXIT_ENVIRONMENT" "$RUN_PATH or $CHECKPOINTS cannot be created"
  START_STEP=$(newest_checkpoint)
  if [[ -s "$RUN_PATH/progress" ]]; then
    read -r id before count <"$RUN_PATH/progress"
  fi
  if [[ "$id" == "$SLURM_JOB_ID" && "$before" == "$START_STEP" ]]; then
    FAILURES=$((count + 1))
  fi
  if ! printf '%s %s %s\n' "$SLURM_JOB_ID" "$START_STEP" "$FAILURES" >"$RUN_PATH/progress.new" ||
    ! mv "$RUN_PATH/progress.new" "$RUN_PATH/progress"; then
    fail "$EXIT_ENVIRONMENT" "$RUN_PATH/progress cannot be written"
  fi
  if ((FAILURES >= ATTEMPTS)); then
    fail "$EXIT_NO_PROGRESS" "$FAILURES starts without a new checkpoint: see the log above"
  fi
  if ((CAPACITY_ENDS > 0)); then
    left=$((CAPACITY_ENDS - SAVE_SECONDS - $(date +%s)))
    if ((left < 300)); then
      fail 0 "the capacity ends in $((left + SAVE_SECONDS)) s: too little time for a step"
    fi
    {
      sleep "$left"
      kill -USR1 "$$"
    } &
  fi
  LOG=$(readlink --canonicalize "/proc/$$/fd/1")
  if [[ -f "$LOG" ]]; then
    LOG_START=$(($(stat --format=%s "$LOG") + 1))
  fi
  say "start ${SLURM_RESTART_COUNT:-0} on $SLURM_JOB_NODELIST, newest whole checkpoint: $START_STEP"
}

# For a framework that does not save on a signal: the step ends after its next regular checkpoint,
# or two minutes before the end without one.
# shellcheck disable=SC2329  # the trap calls it
end_after_checkpoint() {
  local before deadline
  before=$(newest_checkpoint)
  deadline=$(($(date +%s) + SAVE_SECONDS - 120))
  while (($(date +%s) < deadline && $(newest_checkpoint) <= before)); do
    sleep 10
  done
  scancel --signal=TERM "$SLURM_JOB_ID" || true
}

# USR1 comes from --signal before the time limit, and from the timer before the capacity ends.
# Without --batch, scancel signals the steps only (scancel(1)).
# shellcheck disable=SC2329  # it is called by the trap
on_signal() {
  SIGNALLED=1
  ENDING=1
  say "the end is near: the run saves and ends"
  if [[ -z "$SAVE_SIGNAL" ]]; then
    end_after_checkpoint &
  elif [[ -n "$STEP_PID" ]]; then
    scancel --signal="$SAVE_SIGNAL" "$SLURM_JOB_ID" || true
  fi
}
trap on_signal USR1

# Whether this start has logged a line with an extended regular expression. Not a pipe: grep ends at
# the first match, and the command before it would fail.
logged() {
  [[ -f "$LOG" ]] &&
    grep --quiet --ignore-case --extended-regexp "$1" < <(tail --bytes=+"$LOG_START" "$LOG")
}

# NCCL uses TCP without a message above INFO where the plug-in is missing: watch its first lines.
watch_efa() {
  local deadline
  deadline=$(($(date +%s) + 900))
  while (($(date +%s) < deadline)); do
    sleep 5
    if logged 'Selected provider is efa'; then
      say 'NCCL uses EFA'
      return 0
    fi
    if logged 'Using network Socket'; then
      say 'NCCL uses TCP sockets: its plug-in for EFA (aws-ofi-nccl) was not loaded'
      touch "$RUN_PATH/no-efa.$SLURM_JOB_ID"
      scancel --signal=TERM "$SLURM_JOB_ID" || true
      return 0
    fi
  done
  say 'NCCL has not said within 15 minutes which network it uses'
}

# Waits for the step; `wait` also returns when a signal arrives.
wait_for_step() {
  rm --force "$RUN_PATH/no-efa.$SLURM_JOB_ID"
  if ((EXPECT_EFA)) && [[ -f "$LOG" ]]; then
    watch_efa &
  fi
  if ((ENDING)); then
    say 'the end came before the step: there is nothing to save'
    kill "$STEP_PID" || true
  fi
  while true; do
    SIGNALLED=0
    STEP_CODE=0
    wait "$STEP_PID" || STEP_CODE=$?
    ((SIGNALLED)) || break
  done
}

# Decides how the job ends: done, requeued, or with an exit code of its own.
finish_training() {
  local newest
  newest=$(newest_checkpoint)
  say "the step ended with exit code $STEP_CODE, newest whole checkpoint: $newest"
  if [[ -e "$RUN_PATH/no-efa.$SLURM_JOB_ID" ]]; then
    fail "$EXIT_NO_EFA" 'NCCL did not use EFA'
  fi
  if ((STEP_CODE == 0 && ENDING == 0)); then
    fail 0 'the run is complete'
  fi
  # The step's code is the highest of its tasks: srun kills the others when one ends.
  if ((STEP_CODE == EXIT_ENVIRONMENT)) ||
    logged "^srun: error: .*: Exited with exit code $EXIT_ENVIRONMENT\$"; then
    fail "$EXIT_ENVIRONMENT" 'another start would not help: see the log above'
  fi
  if ((newest <= START_STEP && FAILURES + 1 >= ATTEMPTS)); then
    fail "$EXIT_NO_PROGRESS" "$((FAILURES + 1)) starts without a new checkpoint"
  fi
  if ((CAPACITY_ENDS > 0 && CAPACITY_ENDS - $(date +%s) < 2 * SAVE_SECONDS)); then
    fail "$STEP_CODE" 'the capacity ends: submit the job again on other capacity'
  fi
  say 'requeued'
  scontrol requeue "$SLURM_JOB_ID"
  sleep 60
  exit "$STEP_CODE"
}
