"""The program that watches for a Spot notice, against a metadata service and Slurm's commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

LIFECYCLE = Path(__file__).parents[3] / "lifecycle_scripts"
NOTICE = '{"action": "terminate", "time": "2026-11-21T08:22:00Z"}'

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


class Metadata:
    """Answers like IMDSv2; `text` is the notice, or None."""

    def __init__(self) -> None:
        self.text: str | None = None
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                self._say(200, "a-token")

            def do_GET(self) -> None:
                if self.headers["X-aws-ec2-metadata-token"] != "a-token":
                    self._say(401, "")
                elif owner.text is None or not self.path.endswith("/spot/instance-action"):
                    self._say(404, "")
                else:
                    self._say(200, owner.text)

            def _say(self, status: int, text: str) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                """Suppress the server's log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def metadata() -> Iterator[Metadata]:
    found = Metadata()
    thread = threading.Thread(target=found.server.serve_forever, args=(0.01,))
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


class Slurm:
    """Commands that record their calls; `jobs` is the output of squeue."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("scontrol", "scancel", "squeue"):
            path = folder / name
            path.write_text(
                f'#!/bin/sh\necho "{name} $*" >>"{folder}/calls"\n'
                f'[ -e "{folder}/broken-{name}" ] && exit 1\n'
                f'[ {name} = squeue ] && cat "{folder}/jobs"\n'
                f'[ "$2" = show ] && cat "{folder}/node"\nexit 0\n'
            )
            path.chmod(0o755)
        self.jobs("")
        self.node("State=IDLE")

    def jobs(self, text: str) -> None:
        (self.folder / "jobs").write_text(text)

    def node(self, text: str) -> None:
        """scontrol's output for the node."""
        (self.folder / "node").write_text(f"NodeName=ip-10-0-1-5 {text}\n")

    def calls(self) -> list[str]:
        path = self.folder / "calls"
        found = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [
            line for line in found if " show node " not in line and not line.startswith("squeue")
        ]


@pytest.fixture
def slurm(tmp_path: Path) -> Slurm:
    (tmp_path / "bin").mkdir()
    return Slurm(tmp_path / "bin")


def look(metadata: Metadata, slurm: Slurm) -> list[str]:
    """One iteration of the program; return the events of its output."""
    folder = slurm.folder.parent
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-B",
                "-m",
                "clusterwright_spot",
                "--once",
                "--slurm-name=ip-10-0-1-5",
            ),
            *(f"--endpoint={metadata.endpoint}", f"--state={folder / 'run/state'}"),
            f"--log={folder / 'log/spot.jsonl'}",
        ],
        cwd=LIFECYCLE,
        env={**os.environ, "PATH": f"{slurm.folder}:/usr/bin:/bin", "http_proxy": "http://x:1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line)["event"] for line in done.stdout.splitlines()]


def test_nothing_happens_without_a_notice(metadata: Metadata, slurm: Slurm) -> None:
    slurm.jobs("7 spot=USR1\n")
    assert look(metadata, slurm) == []
    assert slurm.calls() == []


def test_notice_drains_the_node_and_signals_the_requesting_jobs(
    metadata: Metadata, slurm: Slurm
) -> None:
    slurm.jobs("7 spot=USR1\n8 (null)\n9 nightly, spot=TERM\n10 spot=KILL\n11 notspot=USR1\n")
    metadata.text = NOTICE
    assert look(metadata, slurm) == ["notice", "drained", "told", "told"]
    assert slurm.calls() == [
        "scontrol update NodeName=ip-10-0-1-5 State=DRAIN "
        "Reason=Spot interruption: terminate at 2026-11-21T08:22:00Z",
        "scancel --batch --signal=USR1 7",
        "scancel --batch --signal=TERM 9",
    ]


def test_each_notice_is_handled_once(metadata: Metadata, slurm: Slurm) -> None:
    slurm.jobs("7 spot=USR1\n")
    metadata.text = NOTICE
    look(metadata, slurm)
    slurm.calls()
    assert look(metadata, slurm) == []
    assert slurm.calls() == []
    metadata.text = NOTICE.replace("08:22", "09:22")
    assert look(metadata, slurm) == ["notice", "drained", "told"]


def test_failed_actions_are_retried(metadata: Metadata, slurm: Slurm) -> None:
    slurm.jobs("7 spot=USR1\n")
    metadata.text = NOTICE
    for name in ("scontrol", "scancel"):
        (slurm.folder / f"broken-{name}").touch()
    assert look(metadata, slurm) == ["notice", "failed", "failed"]
    for name in ("scontrol", "scancel"):
        (slurm.folder / f"broken-{name}").unlink()
    assert look(metadata, slurm) == ["drained", "told"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"action": "terminate"}', '{"action": 1}'])
def test_unexpected_answer_is_only_logged(metadata: Metadata, slurm: Slurm, text: str) -> None:
    metadata.text = text
    assert look(metadata, slurm) == ["unreadable"]
    assert slurm.calls() == []


def test_unreachable_service_is_logged(metadata: Metadata, slurm: Slurm) -> None:
    metadata.endpoint = "http://127.0.0.1:1"
    assert look(metadata, slurm) == ["unreadable"]


@pytest.mark.parametrize(
    ("node", "events"),
    [
        ("State=IDLE+DRAIN Reason=Spot interruption: terminate at 2026 [root@now]", ["resumed"]),
        ("State=IDLE+DRAIN Reason=clusterwright: GPU 3 is lost", []),
        ("State=IDLE+DRAIN Reason=somebody said Spot interruption: no", []),
        ("State=IDLE", []),
    ],
)
def test_new_instance_is_resumed(
    metadata: Metadata, slurm: Slurm, node: str, events: list[str]
) -> None:
    slurm.node(node)
    assert look(metadata, slurm) == events
    wanted = ["scontrol update NodeName=ip-10-0-1-5 State=RESUME"] if events else []
    assert slurm.calls() == wanted


def test_node_remains_drained_during_a_notice(metadata: Metadata, slurm: Slurm) -> None:
    slurm.node("State=IDLE+DRAIN Reason=Spot interruption: terminate at 2026")
    metadata.text = NOTICE
    assert "resumed" not in look(metadata, slurm)
