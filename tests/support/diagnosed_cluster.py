"""A cluster on the local AWS for `diagnose`: its spec, what is published, and the answer."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path
from typing import Any

import jsonschema

from clusterwright.json_output.schemas import schemas
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.loading import load_cluster
from tests.stacks.deployment import Account
from tests.support.command_line import clusterwright
from tests.support.rich_specs import MINIMAL, changed

BASE = changed(
    MINIMAL,
    protection="destroy",
    storage={"lustre": [{"name": "fsx", "capacity_gib": 9600, "throughput_mbps_per_tib": 500}]},
)


def publish(account: Account, spec: Path, **changes: Any) -> None:
    document = {
        "schema_version": 1,
        "environment": "test",
        "written_at": dt.datetime.now(dt.UTC).isoformat(),
        "daemons": {"slurmctld": "up", "slurmdbd": "up", "munge": "up"},
        "nodes": [{"name": "workers-1", "states": ["IDLE"], "reason": None}],
        **changes,
    }
    bucket = lifecycle_bucket(load_cluster(spec).cluster)
    account.client("s3").put_object(
        Bucket=bucket, Key="state/scheduler.json", Body=json.dumps(document).encode()
    )


def diagnose(spec: Path, *arguments: str | os.PathLike[str]) -> dict[str, Any]:
    answer = clusterwright("diagnose", spec, *arguments, "--format", "json")
    data: dict[str, Any] = json.loads(answer.out)
    jsonschema.validate(data, schemas()["diagnose-output.schema.json"])
    assert data["exit_code"] == answer.exit_code
    return data
