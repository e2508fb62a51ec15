#!/usr/bin/env bash
# comment_github.sh FILE: writes FILE as a comment of the pull request, or updates its own comment
# with the same first line, a hidden marker. Requires GH_TOKEN, REPOSITORY and PULL_REQUEST; with
# another token than the workflow's own, AUTHOR is the login of its user.
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
# The marker is public: only a comment of this token's own user is overwritten. A token of a workflow
# cannot ask who it is.
AUTHOR="${AUTHOR:-github-actions[bot]}"
export AUTHOR
found="$(gh api --paginate "repos/${REPOSITORY}/issues/${PULL_REQUEST}/comments" --jq \
  '.[] | select(.user.login == env.AUTHOR and (.body | startswith(env.MARKER))) | .id')"
id="${found%%$'\n'*}"
if [[ -n "${id}" ]]; then
  gh api --silent --method PATCH "repos/${REPOSITORY}/issues/comments/${id}" --field "body=@${file}"
  echo "updated comment ${id}"
else
  gh api --silent --method POST "repos/${REPOSITORY}/issues/${PULL_REQUEST}/comments" \
    --field "body=@${file}"
  echo "added a comment"
fi
