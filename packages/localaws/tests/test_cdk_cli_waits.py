"""The real CDK CLI in a world with delays of two seconds: it waits, visibly to others."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from packages.localaws.tests.cdk_cli import ACCOUNT, REGION, Cli
from packages.localaws.tests.delays import WAITED

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
DELAY_S = 2
WORLD = f"""\
extends: generous
delays: {{database: {DELAY_S}, nat_gateway: {DELAY_S}, endpoint: {DELAY_S}, workspace: {DELAY_S}}}
"""


@pytest.fixture
def cdk(tmp_path: Path) -> Iterator[Cli]:
    (tmp_path / "home").mkdir()
    (tmp_path / "slow.yaml").write_text(WORLD)
    words = ["localaws", "--port", "0", "--world", str(tmp_path / "slow.yaml")]
    process = subprocess.Popen(
        [sys.executable, "-m", "clusterwright", *words],
        stdout=subprocess.PIPE,
        stderr=(tmp_path / "server.err").open("w"),
        text=True,
    )
    try:
        assert process.stdout is not None
        ready, _, address = process.stdout.readline().strip().partition(" ")
        assert ready == "ready"
        yield Cli(tmp_path, address)
    finally:
        process.terminate()
        process.wait(timeout=30)


def assembly(folder: Path) -> str:
    """A cloud assembly of one stack, as written by `cdk synth`; it needs no bootstrap."""
    folder.mkdir()
    (folder / "slow.template.json").write_text(json.dumps({"Resources": WAITED}))
    manifest = {
        "version": "38.0.0",
        "artifacts": {
            "slow": {
                "type": "aws:cloudformation:stack",
                "environment": f"aws://{ACCOUNT}/{REGION}",
                "properties": {"templateFile": "slow.template.json"},
            }
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)


def test_deployment_waits_and_shows_progress(cdk: Cli, tmp_path: Path) -> None:
    app = assembly(tmp_path / "assembly")
    seen: set[str] = set()
    done = threading.Event()

    def look() -> None:
        cloudformation, rds = cdk.client("cloudformation"), cdk.client("rds")
        while not done.is_set():
            seen.update(
                stack_summary["StackStatus"]
                for stack_summary in cloudformation.list_stacks()["StackSummaries"]
            )
            databases = rds.describe_db_instances()["DBInstances"]
            seen.update(database["DBInstanceStatus"] for database in databases)
            time.sleep(0.2)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        started = time.monotonic()
        cdk.deploy("--app", app, "slow")
        assert time.monotonic() - started > DELAY_S
        cdk("destroy", "--app", app, "--force", "slow")
    finally:
        done.set()
        watcher.join()
    assert {"CREATE_IN_PROGRESS", "CREATE_COMPLETE", "DELETE_IN_PROGRESS"} <= seen
    assert {"creating", "available", "deleting"} <= seen
    assert cdk.stacks() == {}
