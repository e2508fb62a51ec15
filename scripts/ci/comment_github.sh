#!/usr/bin/env bash
# comment_github.sh FILE: writes FILE as a comment of the pull request, or updates the comment with
# the same first line, a hidden marker. Requires GH_TOKEN, REPOSITORY and PULL_REQUEST.
set -o errexit
set -o nounset
set -o pipefail

file="$1"
if [[ ! -s "${file}" ]]; then
  echo "there is no review" >&2
  exit 1
fi
MARKER="$(head --lines 1 "${file}")"
export MARKER
# Only comments of bots are overwritten, because the marker is public.
found="$(gh api --paginate "repos/${REPOSITORY}/issues/${PULL_REQUEST}/comments" --jq \
  '.[] | select(.user.type == "Bot" and (.body | startswith(env.MARKER))) | .id')"
id="${found%%$'\n'*}"
if [[ -n "${id}" ]]; then
  gh api --silent --method PATCH "repos/${REPOSITORY}/issues/comments/${id}" --field "body=@${file}"
  echo "updated comment ${id}"
else
  gh api --silent --method POST "repos/${REPOSITORY}/issues/${PULL_REQUEST}/comments" \
    --field "body=@${file}"
  echo "added a comment"
fi
