"""Small specs for tests: a valid one, and ways to change it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.resolve import partition_of
from clusterwright.platforms.loading import load_cluster

ACCOUNT = "111122223333"
PLAN = f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/run-1"

SMALL: dict[str, Any] = {
    "environment": "test",
    "account": ACCOUNT,
    "region": "us-east-1",
    "platform": "hyperpod-slurm",
    "network": {"cidr": "10.0.0.0/16", "availability_zone_id": "use1-az6"},
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
}
"""On demand, without storage: `compute[1]` is the group that tests change."""

LUSTRE: dict[str, Any] = {
    "mount_path": "/fsx",
    "capacity_gib": 4800,
    "throughput_mbps_per_tib": 1000,
    "efa": True,
}


def changed(changes: Mapping[str, Any], base: Mapping[str, Any] = SMALL) -> dict[str, Any]:
    """`base` with values at dotted paths (`compute.1.count`); None removes a key."""
    result = copy.deepcopy(dict(base))
    for path, value in copy.deepcopy(dict(changes)).items():
        *parents, last = path.split(".")
        here: Any = result
        for part in parents:
            here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
        if isinstance(here, list):
            if int(last) == len(here):
                here.append(value)
            else:
                here[int(last)] = value
        elif value is None:
            here.pop(last, None)
        else:
            here[last] = value
    return result


def write(path: Path, data: Mapping[str, Any]) -> Path:
    """`data` as a spec file: JSON is YAML, and every value is on a separate line."""
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return path


def load(folder: Path, changes: Mapping[str, Any] | None = None, **more: Any) -> LoadedSpec:
    """The small spec with changes, loaded from a file."""
    return load_cluster(write(folder / "spec.yaml", changed({**(changes or {}), **more})))


def unchecked(folder: Path, changes: Mapping[str, Any] | None = None) -> LoadedSpec:
    """As `load`, without validation: for unsupported platforms."""
    import clusterwright.cluster_spec.load as loading
    from clusterwright.cluster_spec.document import read_document
    from clusterwright.cluster_spec.layering import lay
    from clusterwright.cluster_spec.resolve import resolve

    path = write(folder / "spec.yaml", changed(changes or {}))
    layers = lay((read_document(path),))
    data = resolve(layers).data
    data["partition"] = partition_of(data["region"])
    return loading.LoadedSpec(Cluster.model_validate(data), str(path), layers)
