"""Settings of a rehearsal of ParallelCluster."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Settings:
    """Durations and counts, which scenarios can change."""

    detection_s: float = 2.0
    """Time from the loss of an instance to its termination in EC2."""
    hold_scripts: bool = False
    """Make new nodes wait before they run their custom action."""
    launches: int = 3
    """How often a static node is launched before the cluster is in protected mode; the real
    clustermgtd counts ten failures of a queue (`protected_failure_count`).
    """
