"""Failures of the list, injected into a deployment on the local AWS, as `diagnose` reads them.

Those whose evidence is lines of a node's log, or what the controller publishes: the command reads
them with the APIs of CloudWatch Logs and S3. Each is undone before the next.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped
from tests.support.diagnosed_cluster import BASE, diagnose, publish
from tests.support.rich_specs import ACCOUNT
from tests.support.synthesis import Assembly
from tools.docs.diagnosed_failures import INJECTED, Failure, read

FAILURES = tuple(
    failure
    for failure in read()
    if failure.sample in INJECTED.samples
    and {kind for item in failure.evidence for kind in item} <= {"log", "scheduler"}
)
_GROUP = "/aws/sagemaker/Clusters/test/"


def test_injected_failures_are_named_and_nothing_else(
    synth: Callable[[str | Path], Assembly], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    spec = tmp_path / "test.yaml"
    spec.write_text(json.dumps(BASE))
    wrong, false = [], []
    with local_aws():
        account = bootstrapped()
        account.deploy(synth(spec))
        publish(account, spec)
        assert diagnose(spec)["findings"] == []
        for failure in FAILURES:
            with _injected(account, spec, failure):
                words = (failure.ask or "").split()
                found = [one["cause"] for one in diagnose(spec, *words)["findings"]]
            first = found[0] if found else ""
            expected = failure.cause
            if (not found) != (expected is None) or not re.search(expected or "", first, re.I):
                wrong.append((failure.failure, found))
            false += [
                (failure.failure, cause)
                for cause in found
                if expected is None or not re.search(expected, cause, re.I)
            ]
    failures = [failure for failure in FAILURES if failure.cause is not None]
    assert (len(failures), len(FAILURES) - len(failures)) == (INJECTED.failures, INJECTED.healthy)
    assert (len(wrong), len(false)) == (INJECTED.not_named, INJECTED.false_causes), (wrong, false)


@contextmanager
def _injected(account: Account, spec: Path, failure: Failure) -> Iterator[None]:
    logs = account.client("logs")
    node = next(
        one["InstanceId"]
        for one in account.client("sagemaker").list_cluster_nodes(ClusterName="test")[
            "ClusterNodeSummaries"
        ]
        if one["InstanceGroupName"] == "workers"
    )
    texts = [str(item["log"]) for item in failure.evidence if "log" in item]
    changes: dict[str, Any] = {}
    for item in failure.evidence:
        changes.update(item.get("scheduler", {}))
    streams = []
    try:
        for number, text in enumerate(texts):
            where = _stream(logs, f"LifecycleConfig/workers-{number}/{node}")
            streams.append(where)
            at = int(time.time() * 1000)
            events = [{"timestamp": at, "message": line} for line in text.splitlines() if line]
            logs.put_log_events(**where, logEvents=events)
        publish(account, spec, **changes)
        yield
    finally:
        for where in streams:
            logs.delete_log_stream(**where)
        publish(account, spec)


def _stream(logs: Any, name: str) -> dict[str, str]:
    groups = logs.describe_log_groups(logGroupNamePrefix=_GROUP)["logGroups"]
    if not groups:
        logs.create_log_group(logGroupName=f"{_GROUP}abcdefghijkl")
        return _stream(logs, name)
    where = {"logGroupName": groups[0]["logGroupName"], "logStreamName": name}
    logs.create_log_stream(**where)
    return where
