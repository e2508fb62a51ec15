"""Facts and specs for the tests of file systems."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.aws.fsx import FileSystem
from clusterwright.aws.s3 import Bucket
from clusterwright.preflight.facts import network, storage
from tests.preflight.existing_storage import SUBNET
from tests.support import specs


def lustre(**changes: Any) -> dict[str, Any]:
    """One file system: PERSISTENT_2 SSD of 4,800 GiB at 1,000 MB/s per TiB, with EFA."""
    return {"storage.lustre": [{**specs.LUSTRE, **changes}]}


PLAIN = {"efa": False, "throughput_mbps_per_tib": 125}

DALLAS = {"network.availability_zone_id": "us-east-1-dfw-2a"}


def tiering(**changes: Any) -> dict[str, Any]:
    fs = {"mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", **changes}
    return {"storage.lustre": [fs]}


REPOSITORY = {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]}

WITH_BUCKET = lustre(repositories=[REPOSITORY])


def bucket(found: Bucket | None) -> dict[Any, Any]:
    return {storage.Bucket("acme-corpus"): found}


SCRATCH = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 1200}

SAVES = {"storage.checkpoint_path": "/fsx/checkpoints"}


def standing(*found: FileSystem, subnets: tuple[Subnet, ...] = (SUBNET,)) -> dict[Any, Any]:
    return {storage.FileSystems(): found, network.Subnets(): subnets}
