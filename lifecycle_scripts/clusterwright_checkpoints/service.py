"""Copy the runs on the local disks at intervals, each as its owner."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from clusterwright_checkpoints import names
from clusterwright_checkpoints.drain import Settings, drain_run, finished, whole

LOG = "/var/log/clusterwright/checkpoints.jsonl"


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    local, shared = Path(options.local), Path(options.shared)
    settings = Settings(
        options.node,
        None if options.keep_local < 0 else options.keep_local,
        None if options.keep_shared < 0 else options.keep_shared,
    )
    if options.mode == "run":
        # Already the owner: see `_as_owner`.
        return 1 if drain_run(local, shared, settings, _tell) else 0
    if options.mode == "once":
        return _all_runs(local, shared, options)
    if options.mode == "flush":
        return _flush(local, shared, options)
    while True:
        _all_runs(local, shared, options)
        time.sleep(options.every_seconds)


def _flush(local: Path, shared: Path, options: argparse.Namespace) -> int:
    """Wait until all finished checkpoints are complete on shared storage, or the time is over."""
    until = time.monotonic() + options.timeout_seconds
    while True:
        _all_runs(local, shared, options)
        left = [
            f"{run.name}/{step}"
            for run in _runs(local, options.run)
            for step in finished(run)
            if step not in whole(shared / run.name)
        ]
        if not left:
            return 0
        if time.monotonic() >= until:
            print("not yet on shared storage: {}".format(", ".join(left)), file=sys.stderr)
            return 1
        time.sleep(min(1.0, options.every_seconds))


def _all_runs(local: Path, shared: Path, options: argparse.Namespace) -> int:
    """Copy every run in a process of its owner; return 1 if a checkpoint could not be copied."""
    worst = 0
    for run in _runs(local, options.run):
        owner = run.lstat()
        argv = [
            sys.executable,
            "-B",
            "-m",
            "clusterwright_checkpoints",
            "run",
            f"--local={run}",
            f"--shared={shared / run.name}",
            f"--node={options.node}",
            f"--keep-local={options.keep_local}",
            f"--keep-shared={options.keep_shared}",
        ]
        try:
            done = _as_owner(argv, owner.st_uid, owner.st_gid)
        except OSError as error:
            _tell("refused", run.name, str(error))
            worst = 1
            continue
        for line in done.stdout.splitlines():
            _log(line)
        if done.returncode not in (0, 1):
            _tell("refused", run.name, (done.stderr.strip().splitlines() or ["no reason"])[-1])
        worst = max(worst, min(done.returncode, 1))
    return worst


def _as_owner(argv: list[str], uid: int, gid: int) -> subprocess.CompletedProcess[str]:
    """Run as the owner of the run: root must not follow a user's links."""
    folder = str(Path(__file__).parents[1])
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": folder, "LC_ALL": "C.UTF-8"}
    as_user = (
        {"user": uid, "group": gid, "extra_groups": []} if os.geteuid() == 0 and uid != 0 else {}
    )
    return subprocess.run(
        argv,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd="/",
        umask=0o022,
        **as_user,  # type: ignore[call-overload]
    )


def _runs(local: Path, only: str | None) -> list[Path]:
    """The runs on this node; for users other than root only their own."""
    user = os.geteuid()
    try:
        return sorted(
            Path(entry.path)
            for entry in os.scandir(local)
            if entry.is_dir(follow_symlinks=False)
            and names.is_step(entry.name)
            and only in (None, entry.name)
            and user in (0, entry.stat(follow_symlinks=False).st_uid)
        )
    except FileNotFoundError:
        return []


def _tell(event: str, step: str, text: str) -> None:
    line = json.dumps(
        {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "event": event,
            "checkpoint": step,
            "text": text,
        }
    )
    print(line, flush=True)


def _log(line: str) -> None:
    print(line, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clusterwright_checkpoints", allow_abbrev=False)
    parser.add_argument("mode", choices=("serve", "once", "flush", "run"))
    parser.add_argument("--local", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--node", required=True)
    parser.add_argument("--run", help="only the run of this name")
    parser.add_argument("--keep-local", type=int, default=1, help="negative: keep all")
    parser.add_argument("--keep-shared", type=int, default=-1, help="negative: keep all")
    parser.add_argument("--every-seconds", type=float, default=5.0)
    parser.add_argument("--timeout-seconds", type=float, default=600.0)
    return parser
