# shellcheck shell=bash
# Shared part of pods that train: resume, save when the pod is ended, end without progress.
# LAST_STEP is 0 where the program's exit code says whether the run is complete.
# Exit codes: 0 the run is complete, or the capacity ends; 92 wrong environment, 93 no progress,
# 94 NCCL does not use EFA; 190 the operator starts the pod again (128 and above: kubeflow's
# training-operator, restartPolicy ExitCode).
# shellcheck disable=SC2034,SC2153,SC2154,SC2329
# -- begin
readonly EXIT_NO_PROGRESS=93 EXIT_NO_EFA=94 EXIT_RESTART=190
# What the program ends with if it has saved and the run is not complete.
export EXIT_WHEN_SAVED=95
STEP_PID=
STEP_CODE=0
ENDING=0
SIGNALLED=0
START_STEP=-1
FAILURES=0
PROGRESS="$RUN_PATH/progress.$HOSTNAME"
LOG="$RUN_PATH/$HOSTNAME.log"
LOG_START=1

# Counts the starts of this pod since the last new checkpoint.
begin_training() {
  local before=-1 count=0 left
  mkdir -p "$RUN_PATH" "$CHECKPOINTS" ||
    fail "$EXIT_ENVIRONMENT" "$RUN_PATH or $CHECKPOINTS cannot be created"
  START_STEP=$(newest_checkpoint)
  if [[ -s "$PROGRESS" ]]; then
    read -r before count <"$PROGRESS"
    if [[ "$before" == "$START_STEP" ]]; then
      FAILURES=$((count + 1))
    fi
  fi
  if ((FAILURES >= ATTEMPTS)); then
    end_without_progress
  fi
  printf '%s %s\n' "$START_STEP" "$FAILURES" >"$PROGRESS.new"
  mv "$PROGRESS.new" "$PROGRESS"
  if ((CAPACITY_ENDS > 0)); then
    left=$((CAPACITY_ENDS - SAVE_SECONDS - $(date +%s)))
    if ((left < 300)); then
      fail 0 "the capacity ends in $((left + SAVE_SECONDS)) s: too little time for a step"
    fi
    {
      sleep "$left"
      kill -TERM "$$"
    } &
  fi
  if [[ -f "$LOG" ]]; then
    LOG_START=$(($(stat -c %s "$LOG") + 1))
  fi
  # The log of a pod that is deleted is gone: this one stays.
  exec > >(tee -a "$LOG") 2>&1
  # tee writes the last lines.
  trap 'sleep 1' EXIT
  say "start, newest whole checkpoint: $START_STEP"
}

# A new submission counts from 0.
end_without_progress() {
  rm -f "$PROGRESS"
  fail "$EXIT_NO_PROGRESS" "$ATTEMPTS starts without a new checkpoint: see the log above"
}

# Prints the processes of the program: children of the launcher, with a rank.
workers() {
  local folder
  for folder in /proc/[0-9]*; do
    if grep -q "^PPid:[[:space:]]*$STEP_PID\$" "$folder/status" 2>/dev/null &&
      grep -qz '^LOCAL_RANK=' "$folder/environ" 2>/dev/null; then
      printf '%s\n' "${folder##*/}"
    fi
  done
}

# The launcher would end the processes 30 s after its own signal, in the middle of a checkpoint.
# They save together: it is enough that one of them got the signal. Without SAVE_SIGNAL the
# framework has none: the processes end after the next regular checkpoint.
save_and_end() {
  local deadline worker before
  deadline=$(($(date +%s) + SAVE_SECONDS))
  before=$(newest_checkpoint)
  if [[ -n "$SAVE_SIGNAL" ]]; then
    for worker in $(workers); do
      kill -"$SAVE_SIGNAL" "$worker" 2>/dev/null || true
    done
  fi
  while [[ -n "$(workers)" ]] && (($(date +%s) < deadline)); do
    if [[ -z "$SAVE_SIGNAL" ]] && (($(newest_checkpoint) > before)); then
      break
    fi
    sleep 1
  done
  kill -TERM "$STEP_PID" 2>/dev/null || true
}

# The kubelet sends TERM to the first process when a pod is deleted: the job or its time ends, the
# queue preempts it, the node is drained.
# shellcheck disable=SC2329  # the trap calls it
on_term() {
  SIGNALLED=1
  if ((ENDING)); then
    return 0
  fi
  ENDING=1
  say "the pod is ended: the processes save and end"
  if [[ -n "$STEP_PID" ]]; then
    save_and_end &
  fi
}
trap on_term TERM

# NCCL uses TCP without a message above INFO where the plug-in is missing: watch its first lines.
# Not by a pipe: grep ends at the first match, and a tail that has more to write fails with it.
watch_efa() {
  local deadline
  deadline=$(($(date +%s) + 900))
  while (($(date +%s) < deadline)); do
    sleep 5
    if grep -qi 'Selected provider is efa' < <(tail -c +"$LOG_START" "$LOG"); then
      say 'NCCL uses EFA'
      return 0
    fi
    if grep -q 'Using network Socket' < <(tail -c +"$LOG_START" "$LOG"); then
      say 'NCCL uses TCP sockets: its plug-in for EFA (aws-ofi-nccl) was not loaded'
      touch "$RUN_PATH/no-efa.$HOSTNAME"
      kill -TERM "$STEP_PID" 2>/dev/null || true
      return 0
    fi
  done
  say 'NCCL has not said within 15 minutes which network it uses'
}

# Waits for the launcher; `wait` also returns when a signal arrives.
wait_for_step() {
  rm -f "$RUN_PATH/no-efa.$HOSTNAME"
  if ((ENDING)); then
    save_and_end &
  fi
  if ((EXPECT_EFA)); then
    watch_efa &
  fi
  while true; do
    SIGNALLED=0
    STEP_CODE=0
    wait "$STEP_PID" || STEP_CODE=$?
    ((SIGNALLED)) || break
  done
}

finish_training() {
  local newest
  newest=$(newest_checkpoint)
  say "the processes ended with exit code $STEP_CODE, newest whole checkpoint: $newest"
  if [[ -e "$RUN_PATH/no-efa.$HOSTNAME" ]]; then
    rm -f "$RUN_PATH/no-efa.$HOSTNAME"
    fail "$EXIT_NO_EFA" 'NCCL did not use EFA'
  fi
  # A framework that ends with 0 also when it has saved early: the last step tells.
  if ((STEP_CODE == 0 && newest >= LAST_STEP)); then
    rm -f "$PROGRESS"
    fail 0 'the run is complete'
  fi
  if ((CAPACITY_ENDS > 0 && CAPACITY_ENDS - $(date +%s) < 2 * SAVE_SECONDS)); then
    fail 0 'the capacity ends: submit the job again on other capacity'
  fi
  if ((newest <= START_STEP && FAILURES + 1 >= ATTEMPTS)); then
    end_without_progress
  fi
  fail "$EXIT_RESTART" 'the pod starts again'
}
