"""CW-J076: The queue of a job exists, and covers the resources that its pods request."""

from __future__ import annotations

import json

from tests.jobs.made_manifests import (
    HYPERPOD,
    SPEC,
    WHOLE,
    fails,
    in_list,
    passes,
    pod,
    pytorch_job,
)

QUEUES = {**SPEC, "kubernetes": {"workloads": {"queueing": "kueue"}}}
LABEL = "kueue.x-k8s.io/queue-name"


def test_resource_that_the_queue_does_not_cover() -> None:
    text = pytorch_job(pod({**WHOLE, "rdma/ib": 1}), labels={LABEL: "jobs"})
    found = fails("CW-J076", text, QUEUES)
    assert (found.severity, found.requested) == ("error", "rdma/ib")
    assert found.hint == "it covers cpu, memory, nvidia.com/gpu"


def test_queue_or_namespace_of_another_cluster() -> None:
    found = fails("CW-J076", pytorch_job(pod(), labels={LABEL: "user-queue"}), QUEUES)
    assert (found.severity, found.hint) == ("warning", f"{LABEL}: jobs")
    fails("CW-J076", in_list(pytorch_job(pod(), labels={LABEL: "user-queue"})), QUEUES)
    text = pytorch_job(pod(), labels={LABEL: "jobs"}, namespace="default")
    assert fails("CW-J076", text, QUEUES).hint == "namespaces with a queue: training"


def test_the_queue_of_the_spec() -> None:
    more = {"ephemeral-storage": "100Gi", "hugepages-2Mi": "5Gi", "cpu": 8, "rdma/ib": 0}
    text = pytorch_job(pod({**WHOLE, **more}), labels={LABEL: "jobs"}, namespace="training")
    passes("CW-J076", text, QUEUES)
    passes("CW-J076", text.replace('"training"', "null"), QUEUES)


def test_init_containers_count_for_the_queue() -> None:
    first = {"name": "first", "resources": {"limits": {"rdma/ib": 1}}}
    text = pytorch_job(pod(initContainers=[first]), labels={LABEL: "jobs"})
    assert fails("CW-J076", text, QUEUES).requested == "rdma/ib"


def test_own_queues_and_jobs_without_one() -> None:
    own = json.dumps({"kind": "LocalQueue", "metadata": {"name": "user-queue"}})
    text = pytorch_job(pod(), labels={LABEL: "user-queue"})
    passes("CW-J076", f"{own}\n---\n{text}", QUEUES)
    passes("CW-J076", in_list(own, text), QUEUES)
    passes("CW-J076", text, {**SPEC, "kubernetes": {"workloads": {"queueing": "none"}}})
    passes("CW-J076", pytorch_job(pod({"rdma/ib": 1})), QUEUES)


def test_queues_of_task_governance_are_those_of_the_teams() -> None:
    governed = {**HYPERPOD, "hyperpod": {"task_governance": {}}, "tenants": [{"name": "a"}]}
    own = {LABEL: "hyperpod-ns-a-localqueue"}
    found = fails("CW-J076", pytorch_job(pod(), labels={LABEL: "jobs"}), governed)
    assert (found.hint or "").startswith(f"{LABEL}: hyperpod-ns-a-localqueue")
    other = pytorch_job(pod(), labels=own, namespace="hyperpod-ns-b")
    assert fails("CW-J076", other, governed).message.endswith("in the namespace hyperpod-ns-b")
    passes("CW-J076", pytorch_job(pod(), labels=own), governed)
    passes("CW-J076", pytorch_job(pod(), labels=own, namespace="hyperpod-ns-a"), governed)
