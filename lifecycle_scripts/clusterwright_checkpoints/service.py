"""Copy the runs on the local disks at intervals, each as its owner."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from clusterwright_checkpoints import names
from clusterwright_checkpoints.drain import Settings, drain_run, finished, whole
from clusterwright_checkpoints.owners import Owners

LOG = "/var/log/clusterwright/checkpoints.jsonl"


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    local, shared = Path(options.local), Path(options.shared)
    if options.mode == "run":
        settings = Settings(
            options.node,
            None if options.keep_local < 0 else options.keep_local,
            None if options.keep_shared < 0 else options.keep_shared,
        )
        # Already the owner: see `owners`.
        return 1 if drain_run(local, shared, settings, _tell) else 0
    owners = Owners(lambda run: _command(run, shared, options), options.limit_seconds, _tell)
    if options.mode == "once":
        runs = _runs(local, options.run)
        owners.start(runs)
        return owners.wait(time.monotonic() + (len(runs) + 1) * options.limit_seconds)
    if options.mode == "flush":
        return _flush(local, shared, options, owners)
    while True:
        owners.start(_runs(local, options.run))
        time.sleep(options.every_seconds)


def _flush(local: Path, shared: Path, options: argparse.Namespace, owners: Owners) -> int:
    """Wait until all finished checkpoints are complete on shared storage, or the time is over."""
    until = time.monotonic() + options.timeout_seconds
    while True:
        owners.start(_runs(local, options.run))
        owners.wait(until)
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


def _command(run: Path, shared: Path, options: argparse.Namespace) -> list[str]:
    """The arguments of the process that copies a run."""
    return [
        "run",
        f"--local={run}",
        f"--shared={shared / run.name}",
        f"--node={options.node}",
        f"--keep-local={options.keep_local}",
        f"--keep-shared={options.keep_shared}",
    ]


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
    parser.add_argument("--limit-seconds", type=float, default=7200.0, help="for each run")
    return parser
