"""The client and the server of the AWS CLI, with a small AWS CLI instead of the real one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright_rehearsal.nodes import images

TOOLS = images.RECIPE / "root/usr/lib/emulation"

_PACKAGE = "import os\nos.environ['AWS_DATA_PATH'] = '/data'\n"
_REAL = """
import json, os, signal, sys, time
mask = os.umask(0)
words = sys.argv[1:]
if words[:1] == ["wait"]:
    print(os.getpid(), flush=True)
    time.sleep(60)
if words[:1] == ["end"]:
    sys.exit(int(words[1]) if words[1].isdigit() else words[1])
if words[:1] == ["die"]:
    os.kill(os.getpid(), int(words[1]))
if words[:1] == ["raise"]:
    raise ValueError("of this call")
if words[:1] == ["read"]:
    sys.stdout.write(open(words[1]).read())
    sys.exit()
print("in words", file=sys.stderr)
json.dump({
    "words": words, "mask": mask, "folder": os.getcwd(), "input": sys.stdin.read(),
    "environment": dict(os.environ), "parent": os.getppid(), "host": os.uname().nodename,
    "paths": sys.path, "writes_bytecode": not sys.dont_write_bytecode,
    "limit": __import__("resource").getrlimit(__import__("resource").RLIMIT_NOFILE)[0],
}, sys.stdout)
"""
SECONDS = 20


@dataclass(frozen=True)
class Installed:
    """Copies of the client and the server with paths in a folder, and a small AWS CLI."""

    folder: Path
    server: subprocess.Popen[bytes]

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-SI", str(self.folder / "aws.py"), *words]

    def run(
        self,
        *words: str,
        environment: Mapping[str, str] | None = None,
        before: tuple[str, ...] = (),
        **options: Any,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*before, *self.command(*words)],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **(environment or {})},
            timeout=SECONDS,
            **{"input": "", **options},
        )

    def seen(self, *words: str, **options: Any) -> dict[str, Any]:
        """What a call sees of its process."""
        done = self.run(*words, **options)
        assert done.stderr == "in words\n"
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def connect(self) -> socket.socket:
        """A connection to the server, on which nothing was sent."""
        found = socket.socket(socket.AF_UNIX)
        found.settimeout(SECONDS)
        found.connect(str(self.folder / "socket"))
        return found

    def processes(self) -> list[int]:
        """The server's calls that run."""
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children")
        return [int(word) for word in children.read_text().split()]

    def serves(self, **options: Any) -> bool:
        return bool(self.seen("x", **options)["parent"] == self.server.pid)


def install(
    folder: Path, idle_s: float = 120.0, imported: str = "", receive_s: float = 5.0
) -> Installed:
    """Install both, and start the server; `imported` is executed when the AWS CLI is imported."""
    (folder / "awscli").mkdir()
    (folder / "awscli/__init__.py").write_text(_PACKAGE)
    (folder / "awscli/clidriver.py").write_text(imported)
    real = folder / "real.py"
    real.write_text(f"#!{sys.executable}\n{_REAL}")
    real.chmod(0o755)
    path = folder / "socket"
    for name in ("aws.py", "aws_server.py"):
        text = (TOOLS / name).read_text()
        for old, new in (
            ("/run/emulation/aws.socket", str(path)),
            ("/usr/bin/aws.real", str(real)),
            ("_IDLE_S = 120.0", f"_IDLE_S = {idle_s}"),
            ("_RECEIVE_S = 5.0", f"_RECEIVE_S = {receive_s}"),
        ):
            text = text.replace(old, new)
        (folder / name).write_text(text)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        number = listening.fileno()
        start = (
            f"import os, sys; os.dup2({number}, 3); sys.path.insert(0, {str(folder)!r});"
            " import aws_server; aws_server.main()"
        )
        server = subprocess.Popen([sys.executable, "-c", start], pass_fds=(number,))
    return Installed(folder, server)
