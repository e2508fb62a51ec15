#!/usr/bin/env bash
# propose_prices.sh FOLDER: proposes the refreshed prices, if they changed, as a pull request (a
# merge request on GitLab) from the branch clusterwright/prices, or updates the open one.
#
# Requires PRICES_TOKEN, which may push that branch and open the request, and FOLDER/prices.md of
# refresh_prices.sh.
set -o errexit
set -o nounset
set -o pipefail

folder="$1"
branch="clusterwright/prices"
title="Refresh AWS's list prices"
: "${PRICES_TOKEN:?a token that may push ${branch} and open a request is required}"
git add --all -- "${CLUSTERWRIGHT_CATALOG:-.}"
if git diff --cached --quiet; then
  echo "the prices are up to date"
  exit 0
fi
git -c user.name="Clusterwright" -c user.email="clusterwright@users.noreply.github.com" \
  commit --quiet --message "${title}"

push() {
  # The token is read from the environment: it is on no command line and in no file.
  git -c credential.helper= \
    -c credential.helper="!f() { echo username=${1}; echo \"password=\${PRICES_TOKEN}\"; }; f" \
    push --quiet --force origin "HEAD:refs/heads/${branch}" "${@:2}"
}

if [[ -n "${GITLAB_CI:-}" ]]; then
  git remote set-url origin "${CI_PROJECT_URL}.git"
  push oauth2 -o merge_request.create -o "merge_request.target=${CI_DEFAULT_BRANCH}" \
    -o "merge_request.title=${title}"
  exit 0
fi
push x-access-token
export GH_TOKEN="${PRICES_TOKEN}"
number="$(gh pr list --head "${branch}" --state open --json number --jq '.[0].number // empty')"
if [[ -n "${number}" ]]; then
  gh pr edit "${number}" --body-file "${folder}/prices.md"
else
  gh pr create --head "${branch}" --title "${title}" --body-file "${folder}/prices.md"
fi
