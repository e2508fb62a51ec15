"""Facts and specs for the tests of lifecycle scripts."""

from __future__ import annotations

from typing import Any

HERE = "slurm.configuration"


BAD = "#!/bin/bash\nrm -rf $1/*\n"


def cuda(version: str, driver: str | None) -> dict[str, Any]:
    changes: dict[str, Any] = {"slurm": {"containers": {"pyxis": True, "cuda": version}}}
    if driver is not None:
        changes["image"] = {"image_id": "ami-00000001", "nvidia_driver": driver}
    return changes
