"""The script that comments on a merge request, against a GitLab that remembers notes."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools.lint.files import ROOT

SCRIPT = ROOT / "scripts" / "ci" / "comment_gitlab.sh"
MARKER = "<!-- clusterwright-diff:dev -->"
NOTES = "/api/v4/projects/12/merge_requests/7/notes"
ME, EVE, OTHER_BOT = 100, 200, 300


class Forge:
    """Notes of one merge request; the token is that of the user `ME`."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        self.url = ""

    def add(self, author: int, body: str) -> None:
        # As GitLab answers: the author has no field that says whether it is a bot.
        self.notes.append({"id": len(self.notes) + 1, "author": {"id": author}, "body": body})

    def bodies(self, author: int) -> list[str]:
        return [note["body"] for note in self.notes if note["author"]["id"] == author]


@pytest.fixture
def forge() -> Iterator[Forge]:
    made = Forge()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, content: Any) -> None:
            assert self.headers["PRIVATE-TOKEN"] == "token"
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Next-Page", "")
            self.end_headers()
            self.wfile.write(body)

        def _body(self) -> str:
            length = int(self.headers["Content-Length"])
            return str(json.loads(self.rfile.read(length))["body"])

        def do_GET(self) -> None:
            if self.path == "/api/v4/user":
                return self._answer({"id": ME, "username": "project_12_bot"})
            assert self.path.startswith(f"{NOTES}?per_page=100&page="), self.path
            return self._answer(made.notes)

        def do_POST(self) -> None:
            assert self.path == NOTES, self.path
            made.add(ME, self._body())
            self._answer(made.notes[-1])

        def do_PUT(self) -> None:
            number = int(self.path.removeprefix(f"{NOTES}/"))
            (note,) = [each for each in made.notes if each["id"] == number]
            note["body"] = self._body()
            self._answer(note)

        def log_message(self, *_: object) -> None:
            """Requests are not logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}/api/v4"
    yield made
    server.shutdown()
    server.server_close()


def comment(forge: Forge, folder: Path, text: str) -> str:
    file = folder / "comment.md"
    file.write_text(f"{MARKER}\n{text}\n")
    done = subprocess.run(
        [os.fspath(SCRIPT), os.fspath(file)],
        env={
            "PATH": os.environ["PATH"],
            "CI_API_V4_URL": forge.url,
            "CI_PROJECT_ID": "12",
            "CI_MERGE_REQUEST_IID": "7",
            "REVIEW_TOKEN": "token",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.enable_socket
def test_notes_of_others_with_the_marker_are_not_overwritten(forge: Forge, tmp_path: Path) -> None:
    """Whoever may comment could otherwise keep the review from the reader, or lose a note."""
    for author in (EVE, OTHER_BOT):
        forge.add(author, f"{MARKER} mine")
    assert comment(forge, tmp_path, "first") == "added a note\n"
    assert comment(forge, tmp_path, "second") == "updated note 3\n"
    assert forge.bodies(EVE) == [f"{MARKER} mine"]
    assert forge.bodies(OTHER_BOT) == [f"{MARKER} mine"]
    assert forge.bodies(ME) == [f"{MARKER}\nsecond\n"]


@pytest.mark.enable_socket
def test_an_own_note_without_the_marker_is_kept(forge: Forge, tmp_path: Path) -> None:
    forge.add(ME, "another note of this project")
    comment(forge, tmp_path, "first")
    assert forge.bodies(ME) == ["another note of this project", f"{MARKER}\nfirst\n"]
