"""A platform's cell in the table of capabilities, and sources shared by several platforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Answer = Literal["yes", "in part", "no", "unknown"]


@dataclass(frozen=True)
class Cell:
    """A platform's answer in a few words, and its source."""

    answer: Answer
    words: str
    source: str


CREATE_CLUSTER: Final = "botocore 1.44.5, SageMaker CreateCluster"
CAPACITY_BLOCKS: Final = "EC2 user guide, Capacity Blocks for ML (read 2026-09..11)"
INFERENCE: Final = (
    "SageMaker developer guide, Setting up your HyperPod clusters for model deployment "
    "(read 2026-11-21)"
)
DESIGN: Final = "the design of Clusterwright; see the reference of the spec"
KUEUE_COHORTS: Final = (
    "kubernetes-sigs/kueue, concepts of cohorts; SageMaker API, IdleResourceSharing; "
    "platforms/kubernetes/spares.py"
)
