"""A checkout with a change, a stub of the forge that stores comments, and a local AWS."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.repository_copy import copy_repository

NAME = "dev"

# Only the calls that the scripts make to `gh`; everything else is refused.
_GH = """#!{python}
import json, os, pathlib, sys
store = pathlib.Path(os.environ["FORGE"])
comments = json.loads(store.read_text()) if store.exists() else []
words = sys.argv[1:]
assert words.pop(0) == "api", words
assert os.environ["GH_TOKEN"]
method, body, place, query = "GET", None, None, None
while words:
    word = words.pop(0)
    if word == "--method": method = words.pop(0)
    elif word == "--field":
        name, _, value = words.pop(0).partition("=")
        assert name == "body" and value.startswith("@"), value
        body = pathlib.Path(value[1:]).read_text()
    elif word == "--jq": query = words.pop(0)
    elif word in ("--paginate", "--silent"): pass
    else: place = word
    assert place is None or place.startswith("repos/acme/clusters/issues/"), place
if method == "GET":
    wanted = (
        ".[] | select(.user.login == env.AUTHOR and (.body | startswith(env.MARKER))) | .id"
    )
    assert query == wanted, query
    author, marker = os.environ["AUTHOR"], os.environ["MARKER"]
    for comment in comments:
        if comment["login"] == author and comment["body"].startswith(marker):
            print(comment["id"])
elif method == "POST":
    assert place.endswith("/7/comments"), place
    comments.append({{"id": len(comments) + 1, "login": "github-actions[bot]", "body": body}})
else:
    assert method == "PATCH", method
    number = int(place.rpartition("/")[2])
    (comment,) = [c for c in comments if c["id"] == number]
    comment["body"] = body
assert body is None or len(body) <= 65535
store.write_text(json.dumps(comments))
"""


@dataclass(frozen=True)
class Checkout:
    """A clone with a commit on top of its base, and the programs of a runner."""

    path: Path
    base: str
    programs: Path

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a runner, without that of this process."""
        return {
            "PATH": os.pathsep.join([str(self.programs), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.programs),
            # The validation has its own tests, with every configuration (test_nag.py).
            "CDK_VALIDATION": "false",
            "LANG": "C.UTF-8",
            **more,
        }


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """This repository with a change: two more nodes in dev."""
    folder = tmp_path_factory.mktemp("ci")
    path = folder / "clusters"
    copy_repository(path)
    programs = folder / "programs"
    programs.mkdir()
    _program(programs / "gh", _GH.format(python=sys.executable))
    # `make setup` has its own tests; here its result exists already.
    _program(programs / "make", '#!/bin/sh\n[ "$*" = setup ]\n')
    (path / ".venv").symlink_to(Path(sys.executable).parent.parent)
    _git(path, "init", "--quiet", "--initial-branch", "main")
    _git(path, "add", "--all")
    _git(path, "commit", "--quiet", "--message", "base")
    base = _git(path, "rev-parse", "HEAD")
    config = path / "configs" / f"{NAME}.yaml"
    text = config.read_text()
    assert "count: 2" in text
    config.write_text(text.replace("count: 2", "count: 4"))
    _git(path, "commit", "--quiet", "--all", "--message", "two nodes more")
    return Checkout(path, base, programs)


@pytest.fixture
def local_aws_url() -> Iterator[Callable[[str], str]]:
    """The address of a new local AWS in a world."""
    servers: list[subprocess.Popen[str]] = []

    def url(world: str) -> str:
        words = ["localaws", "--port", "0", "--world", world]
        server = subprocess.Popen(
            [sys.executable, "-m", "clusterwright", *words], stdout=subprocess.PIPE, text=True
        )
        servers.append(server)
        assert server.stdout is not None
        return server.stdout.readline().split()[1]

    yield url
    for server in servers:
        server.terminate()
        assert server.wait(20) == 0


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def _git(folder: Path, *words: str) -> str:
    own = [
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.com",
        "-c",
        "commit.gpgsign=false",
    ]
    done = subprocess.run(
        ["git", *own, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
