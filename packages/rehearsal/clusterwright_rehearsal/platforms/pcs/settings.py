"""Settings of a rehearsal of AWS PCS."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Settings:
    """Durations and counts, which scenarios can change."""

    detection_s: float = 2.0
    """Time from the loss of an instance, or of its slurmd, to its replacement."""
    hold_scripts: bool = False
    """Make new nodes wait before their lifecycle actions."""
    failed_launches: int = 3
    """How often a node of a group fails before it is not launched again; PCS has no published
    limit.
    """
    image_slurm: str | None = None
    """The version of Slurm that new instances' images have; None for that of the cluster."""
    images: dict[str, Path] = field(default_factory=dict)
    """Node images with another Slurm than that of the run, by the version of the cluster."""
