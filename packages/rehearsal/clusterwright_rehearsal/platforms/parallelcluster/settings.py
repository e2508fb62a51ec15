"""What a rehearsal of ParallelCluster may choose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Settings:
    """Times and counts that a rehearsal may choose."""

    detection_s: float = 2.0
    """From the loss of an instance to EC2's saying so."""
    hold_scripts: bool = False
    """Wait on new nodes before their custom action is run."""
    launches: int = 2
    """How often a static node is launched before the cluster is in protected mode; the real
    clustermgtd counts ten failures of a queue (`protected_failure_count`).
    """
