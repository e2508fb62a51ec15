"""CW-J096: Priorities of pods and jobs exist."""

from __future__ import annotations

import json

import pytest

from tests.jobs.made_manifests import HYPERPOD, SPEC, fails, in_list, passes, pod, pytorch_job

LABEL = "kueue.x-k8s.io/priority-class"
PRIORITIES = {
    **SPEC,
    "kubernetes": {
        "workloads": {"queueing": "kueue", "priorities": [{"name": "low", "value": 1}]}
    },
}
GOVERNED = {
    **HYPERPOD,
    "hyperpod": {"task_governance": {"priority_classes": [{"name": "training", "weight": 90}]}},
}


def test_a_priority_that_the_spec_does_not_have() -> None:
    found = fails("CW-J096", pytorch_job(pod(priorityClassName="lov")), PRIORITIES)
    assert found.hint == "did you mean `low`?"
    fails("CW-J096", pytorch_job(pod(), labels={LABEL: "high"}), PRIORITIES)
    passes("CW-J096", pytorch_job(pod(priorityClassName="low"), labels={LABEL: "low"}), PRIORITIES)


def test_a_class_of_task_governance_has_a_suffix() -> None:
    found = fails("CW-J096", pytorch_job(pod(), labels={LABEL: "training"}), GOVERNED)
    assert "training-priority" in (found.hint or "")
    passes("CW-J096", pytorch_job(pod(), labels={LABEL: "training-priority"}), GOVERNED)


def test_priorities_of_the_file_and_of_others() -> None:
    other = {"kind": "PriorityClass", "metadata": {"name": "mine"}, "value": 1}
    file = in_list(pytorch_job(pod(priorityClassName="mine")), json.dumps(other))
    passes("CW-J096", file, PRIORITIES)
    passes("CW-J096", pytorch_job(pod(priorityClassName="theirs"), labels={LABEL: "theirs"}))


@pytest.mark.parametrize("name", ["system-cluster-critical", "system-node-critical"])
def test_priorities_of_kubernetes(name: str) -> None:
    passes("CW-J096", pytorch_job(pod(priorityClassName=name)), PRIORITIES)
