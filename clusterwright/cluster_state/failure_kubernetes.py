"""What acceptance and the histories say of nodes of Kubernetes, as evidence."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Final

from clusterwright.cluster_state.kubernetes_context import API
from clusterwright.cluster_state.published import SchedulerState
from clusterwright.diagnosis import scheduler
from clusterwright.diagnosis.model import Evidence, Target

_PARTS: Final = {"acceptance", "history"}


def of_nodes(state: SchedulerState, target: Target, now: dt.datetime) -> list[Evidence]:
    """The evidence of the nodes' annotations and taints.

    States of nodes and jobs of Kubernetes are not judged here: the words are not Slurm's.
    """
    document = state.model_dump(mode="json", include=_PARTS)
    found = scheduler.of_document(document, target, now)
    return [replace(one, source=API) for one in found]


def names_of(state: SchedulerState) -> dict[str, str]:
    """Names of nodes by their instance ids."""
    return {node.instance_id: node.name for node in state.nodes or () if node.instance_id}
