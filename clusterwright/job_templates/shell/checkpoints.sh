# shellcheck shell=bash
# Shared part of training jobs and training pods: the newest checkpoint.
# A checkpoint is whole if it has the file MARKER, which the framework writes last.
# shellcheck disable=SC2034,SC2153,SC2154,SC2329
# -- begin
# Prints the step of the newest whole checkpoint, -1 without one.
# shellcheck disable=SC2329  # a framework with a tracker file replaces it
newest_checkpoint() {
  local marker folder step newest=-1
  for marker in "$CHECKPOINTS"/*/"$MARKER"; do
    [[ -f "$marker" ]] || continue
    folder=${marker%"/$MARKER"}
    step=${folder##*[!0-9]}
    if [[ -n "$step" ]] && ((10#$step > newest)); then
      newest=$((10#$step))
    fi
  done
  printf '%d' "$newest"
}
