"""Runs `clusterwright` for the rehearsed cluster, as an operator of it would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from clusterwright_rehearsal import cluster_size
from clusterwright_rehearsal.scenario_api.context import ScenarioContext


def answer(
    context: ScenarioContext,
    command: Sequence[str],
    *words: str,
    change: Callable[[dict[str, Any]], None] | None = None,
    codes: Sequence[int] = (0,),
) -> dict[str, Any]:
    """The JSON of a command about the deployed spec, or about a changed one.

    It calls the local AWS, with all permissions. Raises `Broken` unless it exits with one of
    `codes`.
    """
    data = json.loads(json.dumps(context.spec))
    if change is not None:
        change(data)
    folder = context.folder / "command-line"
    folder.mkdir(exist_ok=True)
    spec = cluster_size.write(data, folder)
    credentials = {
        "AWS_ENDPOINT_URL": context.worker.url,
        "AWS_ACCESS_KEY_ID": context.cluster.account,
        "AWS_SECRET_ACCESS_KEY": "local",
        "CLUSTERWRIGHT_CACHE": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright", *command, str(spec), *words, "--format=json"],
        env={**os.environ, **credentials},
        capture_output=True,
        text=True,
        check=False,
    )
    context.expect(
        done.returncode in codes,
        f"{' '.join(command)}: exit code {done.returncode}: {(done.stderr or done.stdout)[-500:]}",
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def signatures(context: ScenarioContext, name: str, lines: Sequence[str]) -> set[str]:
    """The signatures that `clusterwright diagnose` finds in the lines of a node's log."""
    folder = context.folder / f"diagnosed-{name}"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.log").write_text("".join(f"{line}\n" for line in lines))
    found = answer(context, ["diagnose"], "--offline", f"--log={folder}", codes=(0, 1, 2))
    return {str(finding["signature"]) for finding in found["findings"]}
