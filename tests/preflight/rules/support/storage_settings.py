"""Facts and specs for the tests of storage settings."""

from __future__ import annotations

from typing import Any

from tests.support import specs

PLAIN = {"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 125}

FIRST = {"deployment_type": "PERSISTENT_1", "throughput_mbps_per_tib": 50}

LINK = {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]}


def lustre(*file_systems: dict[str, Any]) -> dict[str, Any]:
    return {"storage.lustre": list(file_systems)}


def exporting(mount: str, s3: str, **more: Any) -> dict[str, Any]:
    link = {"s3": s3, "path": "/out", "export": ["NEW"], **more}
    return {**specs.LUSTRE, "mount_path": mount, "repositories": [link]}
