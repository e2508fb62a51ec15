#!/usr/bin/env bash
# comment_gitlab.sh FILE: puts FILE on the merge request, in place of the note that its first line,
# a hidden marker, was in before. Needs REVIEW_TOKEN (a project access token with the scope api)
# and GitLab's own CI_API_V4_URL, CI_PROJECT_ID and CI_MERGE_REQUEST_IID.
set -o errexit
set -o nounset
set -o pipefail

file="$1"
if [[ ! -s "${file}" ]]; then
  echo "there is no review to show" >&2
  exit 1
fi
exec python3 - "${file}" <<'PYTHON'
import json
import os
import sys
import urllib.request

base = (
    f"{os.environ['CI_API_V4_URL']}/projects/{os.environ['CI_PROJECT_ID']}"
    f"/merge_requests/{os.environ['CI_MERGE_REQUEST_IID']}/notes"
)


def call(method, url, body=None):
    data = None if body is None else json.dumps({"body": body}).encode()
    headers = {"PRIVATE-TOKEN": os.environ["REVIEW_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer), answer.headers


def own_note(marker):
    page = "1"
    while page:
        notes, headers = call("GET", f"{base}?per_page=100&page={page}")
        for note in notes:
            # GitLab's own notes are of the system; a person's must not be overwritten.
            if note["body"].startswith(marker) and note["author"].get("bot", True):
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
