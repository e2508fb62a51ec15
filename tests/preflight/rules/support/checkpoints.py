"""Facts and specs for the tests of checkpoints."""

from __future__ import annotations

from typing import Any

from tests.support import specs

FSX = {**specs.LUSTRE, "capacity_gib": 9600, "throughput_mbps_per_tib": 500}


def spec(*, lustre: dict[str, Any] | None = None, **run: Any) -> dict[str, Any]:
    """4 x p5.48xlarge that write to 9,600 GiB at 500 MB/s per TiB: 4,687.5 MB/s."""
    return {
        "storage.lustre": [lustre or FSX],
        "storage.checkpoint_path": "/fsx/checkpoints",
        "run": {"hours": 24, **run},
    }
