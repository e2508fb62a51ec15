"""CW-J090: A queue has a flavour whose nodes the pods of its jobs tolerate."""

from __future__ import annotations

import json
from typing import Any

from tests.jobs.made_manifests import fails, in_list, passes, pod, pytorch_job

TAINT = {"key": "team", "value": "a", "effect": "NoSchedule"}
TOLERATION = {"key": "team", "operator": "Exists"}


def queues(
    *flavors: dict[str, Any], spec: dict[str, Any] | None = None, names: tuple[str, ...] = ()
) -> str:
    """A job with its local queue, its cluster queue, and flavours."""
    own = [f"flavor-{number}" for number in range(len(flavors))]
    group = {
        "coveredResources": ["nvidia.com/gpu"],
        "flavors": [{"name": name} for name in (*own, *names)],
    }
    job = pytorch_job(spec or pod(), labels={"kueue.x-k8s.io/queue-name": "jobs"}, namespace="a")
    objects = [
        _object("ClusterQueue", "all", {"resourceGroups": [group]}),
        _object("LocalQueue", "jobs", {"clusterQueue": "all"}, namespace="a"),
        *(_object("ResourceFlavor", name, of) for name, of in zip(own, flavors, strict=True)),
    ]
    return in_list(job, *objects)


def _object(kind: str, name: str, spec: dict[str, Any], **metadata: str) -> str:
    api = "kueue.x-k8s.io/v1beta1"
    found = {"apiVersion": api, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}
    return json.dumps(found)


def test_the_only_flavour_has_a_taint_that_the_pod_does_not_tolerate() -> None:
    found = fails("CW-J090", queues({"nodeTaints": [TAINT]}))
    assert found.message == (
        "the pod does not tolerate team=a:NoSchedule of the flavour flavor-0, and the queue jobs "
        "has no other that it does: it is never admitted"
    )


def test_tolerations_of_the_pod_or_of_the_flavour() -> None:
    passes("CW-J090", queues({"nodeTaints": [TAINT]}, spec=pod(tolerations=[TOLERATION])))
    passes("CW-J090", queues({"nodeTaints": [TAINT], "tolerations": [TOLERATION]}))
    passes("CW-J090", queues({"nodeTaints": [{**TAINT, "effect": "PreferNoSchedule"}]}))


def test_another_flavour_takes_the_job() -> None:
    passes("CW-J090", queues({"nodeTaints": [TAINT]}, {}))
    passes("CW-J090", queues({"nodeTaints": [TAINT]}, names=("of-another-file",)))
    fails("CW-J090", queues({"nodeTaints": [TAINT]}, {"nodeTaints": [{**TAINT, "key": "b"}]}))


def test_resources_that_the_queue_does_not_cover() -> None:
    passes("CW-J090", queues({"nodeTaints": [TAINT]}, spec=pod({"cpu": 1})))
