"""The script in `lifecycle_scripts/` that the platform runs in each configuration of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.registry import PLATFORMS, traits_of

ENTRY: Final[Mapping[str, str]] = {
    "managed": "on_init_complete.sh",
    "scripted": "on_create.sh",
    **{
        str(traits_of(name).node_setup): traits_of(name).entry_script
        for name in PLATFORMS
        if traits_of(name).entry_script
    },
}
"""By `configuration` of cluster.json: `slurm.configuration` on HyperPod, else `node_setup`."""
