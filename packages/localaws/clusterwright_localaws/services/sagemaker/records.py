"""What a cluster keeps beside its groups: operations and extensions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

IN_PROGRESS = "InProgress"


@dataclass
class Scaling:
    """The scaling of one group: its counts before, and those that are requested."""

    group: str
    original: dict[str, int]
    desired: dict[str, int]
    status: str = IN_PROGRESS


@dataclass
class ClusterOperation:
    """One operation of a cluster."""

    kind: str
    created_at: datetime
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    scalings: list[Scaling] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    status: str = IN_PROGRESS


@dataclass
class Extension:
    """One extension of a cluster."""

    name: str
    arn: str
    version: str
    configuration: dict[str, Any]
    created_at: datetime
    changed_at: datetime
    status: str = "Creating"
    tags: list[dict[str, str]] = field(default_factory=list)
