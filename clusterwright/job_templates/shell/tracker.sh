# shellcheck shell=bash
# Checkpoints of Megatron-LM: TRACKER names the newest whole one, and is written last. Megatron-LM
# removes none, so that the job keeps the KEEP newest.
# shellcheck disable=SC2034,SC2153,SC2154,SC2329
# -- begin
# Prints the step of the newest whole checkpoint, -1 without one.
newest_checkpoint() {
  local step=-1
  if [[ -s "$CHECKPOINTS/$TRACKER" ]]; then
    read -r step <"$CHECKPOINTS/$TRACKER" || true
  fi
  if [[ "$step" =~ ^[0-9]+$ ]]; then
    printf '%d' "$((10#$step))"
  else
    printf '%d' -1
  fi
}

# A folder without .metadata is not whole; one that is newer than the tracker may be in progress.
# shellcheck disable=SC2329  # not called where the framework removes old checkpoints itself
prune_checkpoints() {
  local newest folder step kept=0
  newest=$(newest_checkpoint)
  for folder in $(printf '%s\n' "$CHECKPOINTS"/iter_* | sort --version-sort --reverse); do
    step=${folder##*/iter_}
    [[ -d "$folder" && "$step" =~ ^[0-9]+$ ]] || continue
    ((10#$step <= newest)) || continue
    if [[ -f "$folder/.metadata" ]] && ((kept < KEEP)); then
      kept=$((kept + 1))
    elif ((10#$step < newest)); then
      say "removing $folder"
      rm --recursive --force "$folder" || true
    fi
  done
}

# shellcheck disable=SC2329  # as before
prune_while_running() {
  while sleep 60; do
    prune_checkpoints
  done
}
