"""CW-J078: Queues refer to flavours and queues that exist."""

from __future__ import annotations

import pytest

from tests.jobs.made_manifests import SPEC, fails, passes
from tests.platforms.kubernetes import specs

FLAVOR = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: spot}\n---\n"
QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: research}}
spec:
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - {{name: {0}, resources: [{{name: cpu, nominalQuota: 9}}]}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: users, namespace: default}}
spec: {{clusterQueue: {1}}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: one, labels: {{kueue.x-k8s.io/queue-name: {2}}}}}
spec: {{}}
"""


@pytest.mark.parametrize(
    ("names", "kind", "severity"),
    [
        # Flavours are often objects of the cluster's administrators, in files of their own.
        (("default", "research", "users"), "ResourceFlavor default", "warning"),
        (("spot", "reserch", "users"), "ClusterQueue reserch", "error"),
        (("spot", "research", "user"), "LocalQueue user", "error"),
    ],
)
def test_a_name_that_does_not_exist(names: tuple[str, str, str], kind: str, severity: str) -> None:
    found = fails("CW-J078", FLAVOR + QUEUE.format(*names))
    assert found.message == f"neither the file nor the spec has the {kind}"
    assert found.severity == severity


def test_another_file_may_have_the_flavor() -> None:
    found = fails("CW-J078", QUEUE.format("spot", "research", "users"))
    assert found.severity == "warning"


@pytest.mark.parametrize("names", [("spot", "research", "users"), ("$FLAVOR", "$QUEUE", "$LOCAL")])
def test_names_that_exist_or_are_filled_in(names: tuple[str, str, str]) -> None:
    passes("CW-J078", FLAVOR + QUEUE.format(*names))
    passes("CW-J078", FLAVOR.replace("name: spot", "name: $NAME") + QUEUE.format("a", *names[1:]))


def test_the_flavors_of_the_spec() -> None:
    text = QUEUE.format("workers", "research", "users")
    fails("CW-J078", text, SPEC)
    passes("CW-J078", text, specs.EKS)


def test_the_local_queue_of_the_spec() -> None:
    """Beside a LocalQueue of the file, jobs may use the one that the spec creates."""
    text = FLAVOR + QUEUE.format("spot", "research", "jobs")
    passes("CW-J078", text, specs.EKS)
    fails("CW-J078", text, {**SPEC, "kubernetes": {"workloads": {"queueing": "none"}}})
    fails("CW-J078", text.replace("name: jobs", "name: job").replace(": jobs", ": job"), specs.EKS)
