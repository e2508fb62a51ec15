#!/usr/bin/env bash
# comment_gitlab.sh FILE: writes FILE as a note of the merge request, or updates its own note with
# the same first line, a hidden marker. Requires REVIEW_TOKEN (a project access token with the scope
# api) and CI_API_V4_URL, CI_PROJECT_ID and CI_MERGE_REQUEST_IID, which GitLab sets.
set -o errexit
set -o nounset
set -o pipefail

file="$1"
if [[ ! -s "${file}" ]]; then
  echo "there is no review" >&2
  exit 1
fi
exec python3 - "${file}" <<'PYTHON'
import json
import os
import sys
import urllib.request

api = os.environ["CI_API_V4_URL"]
base = (
    f"{api}/projects/{os.environ['CI_PROJECT_ID']}"
    f"/merge_requests/{os.environ['CI_MERGE_REQUEST_IID']}/notes"
)


def call(method, url, body=None):
    data = None if body is None else json.dumps({"body": body}).encode()
    headers = {"PRIVATE-TOKEN": os.environ["REVIEW_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer), answer.headers


def own_note(marker):
    # The marker is public: only a note of this token's own user is overwritten.
    me = call("GET", f"{api}/user")[0]["id"]
    page = "1"
    while page:
        notes, headers = call("GET", f"{base}?per_page=100&page={page}")
        for note in notes:
            if note["author"]["id"] == me and note["body"].startswith(marker):
                return note["id"]
        page = headers.get("X-Next-Page")
    return None


with open(sys.argv[1], encoding="utf-8") as stream:
    text = stream.read()
found = own_note(text.splitlines()[0])
if found is None:
    call("POST", base, text)
    print("added a note")
else:
    call("PUT", f"{base}/{found}", text)
    print(f"updated note {found}")
PYTHON
