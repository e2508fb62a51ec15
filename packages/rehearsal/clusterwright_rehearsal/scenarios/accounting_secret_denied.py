"""The controller's image is updated while it may not read the database's secret.

Accounting uses RDS. The error message must name the secret and the cause. When access is allowed
again, a further update starts the controller, and its earlier accounting records still exist.
slurmctld's own state is on the controller's disk and is lost, so no job runs meanwhile. What
acceptance keeps there comes back from the bucket. The scenario uses an update because HyperPod
does not replace controllers on request.
"""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

from clusterwright_rehearsal.scenario_api import operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.software_update import update_software

ORDER = 175

PROMISES = {
    "named": "the controller's message names the secret, the refused action and the cause",
    "mended": "when AWS allows access again, a further update starts the controller, and it takes"
    " jobs",
    "kept": "the jobs of the lost controller are still in accounting",
    "history": "the new controller has the lost one's acceptance: bandwidths and faults of nodes",
}

_MARK = "rehearsed"
"""In what acceptance keeps: names of a run, a node and a type that do not exist."""
_BANDWIDTH = {"instance_type": _MARK, "nodes": 2, "ranks": 16, "size_mib": 1024, "gbs": 437.0}


def run(context: ScenarioContext) -> None:
    if context.cluster.slurm.accounting.kind != "rds":
        context.skip("the spec has no accounting on RDS, whose password is in a secret")
    before = context.submit("srun hostname")
    before.wait("COMPLETED", within_s=60)
    context.wait_for(lambda: _not_accounted(context, before.id), within_s=30)
    node = context.controller
    records = _add_records(context)
    sagemaker, name = context.aws("sagemaker"), context.cluster.environment
    try:
        with context.promise("named"):
            context.deny("secretsmanager", "GetSecretValue", "AccessDeniedException")
            sagemaker.update_cluster_software(
                ClusterName=name, InstanceGroups=[{"InstanceGroupName": node.group}]
            )
            context.wait_for(lambda: _not_failed(context, node), within_s=120)
            message = str(context.api_nodes()[node.name]["InstanceStatus"].get("Message"))
            for word in ("secret", "AccessDenied", "GetSecretValue"):
                context.expect(word in message, f"the message has no {word!r}: {message}")
    finally:
        context.allow_all()

    with context.promise("mended"):
        update_software(context, node.group)
        context.wait_idle()
        job = context.submit("srun hostname")
        job.wait("COMPLETED", within_s=60)

    with context.promise("kept"):
        context.wait_for(lambda: _not_accounted(context, before.id), within_s=30)

    with context.promise("history"):
        for name in records:
            context.wait_for(partial(_not_back, context, name), within_s=120)
        _write(context, records)


def _add_records(context: ScenarioContext) -> dict[str, str | None]:
    """Add to what acceptance keeps on the controller, until the bucket has it too.

    Returns what the files had before, by name.
    """
    event = {"time": time.time(), "kind": "xid", "detail": _MARK}
    rows: dict[str, tuple[str, dict[str, Any]]] = {
        "accepted.json": ("accepted", {**_BANDWIDTH, "run": _MARK}),
        "lemons.json": ("nodes", {"node": _MARK, "instance_id": _MARK, "events": [event]}),
    }
    found: dict[str, str | None] = {}
    changed: dict[str, str | None] = {}
    for name, (key, row) in rows.items():
        ran = context.controller.run(f"cat {operator.FOLDER}/{name}")
        found[name] = ran.stdout if ran.ok else None
        text = ran.stdout if ran.ok else json.dumps({"schema_version": 1, key: []})
        content: dict[str, Any] = json.loads(text)
        changed[name] = json.dumps({**content, key: [*content[key], row]})
    _write(context, changed)
    for name in rows:
        context.wait_for(partial(_not_copied, context, name), within_s=120)
    return found


def _write(context: ScenarioContext, texts: dict[str, str | None]) -> None:
    """Write files of acceptance, or remove them; the service reads them when it starts."""
    context.controller.must(f"systemctl stop {operator.SERVICE}; mkdir -p {operator.FOLDER}")
    for name, text in texts.items():
        path = f"{operator.FOLDER}/{name}"
        if text is None:
            context.controller.must(f"rm -f {path}")
        else:
            context.controller.write(path, text)
    context.controller.must(f"systemctl start {operator.SERVICE}")


def _not_copied(context: ScenarioContext, name: str) -> str | None:
    copy = operator.read_object(context, f"state/acceptance/records/{name}")
    return None if _MARK in json.dumps(copy) else f"the copy of {name} is {copy}"


def _not_back(context: ScenarioContext, name: str) -> str | None:
    ran = context.controller.run(f"cat {operator.FOLDER}/{name}")
    return None if _MARK in ran.stdout else f"{name} on the controller: {ran.output_tail}"


def _not_failed(context: ScenarioContext, node: Node) -> str | None:
    status = context.api_nodes().get(node.name, {}).get("InstanceStatus", {}).get("Status")
    return None if status == "Failure" else f"{node} is {status}"


def _not_accounted(context: ScenarioContext, number: str) -> str | None:
    # A new controller numbers jobs from 1: more than one job may have this number.
    ran = context.controller.run(f"timeout 20 sacct -n -X -P -D -j {number} -o JobID,State")
    if f"{number}|COMPLETED" in ran.stdout.split():
        return None
    return f"sacct of job {number}: {ran.stdout!r} {ran.output_tail}"
