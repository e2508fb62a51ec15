"""CW-J080: Pods have a restart policy that their kind of object takes."""

from __future__ import annotations

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job

OBJECT = """
apiVersion: {0}
kind: {1}
metadata: {{name: one}}
spec:
  template:
    spec:
      {2}
      containers: [{{name: main, image: registry/a:1}}]
"""


@pytest.mark.parametrize(
    ("api", "kind", "policy", "message"),
    [
        ("batch/v1", "Job", "", "take the restart policy Never or OnFailure, and the default is"),
        ("batch/v1", "Job", "restartPolicy: Always", "take the restart policy Never or OnFailure"),
        ("apps/v1", "Deployment", "restartPolicy: Never", "take the restart policy Always only"),
    ],
)
def test_a_policy_that_is_refused(api: str, kind: str, policy: str, message: str) -> None:
    found = fails("CW-J080", OBJECT.format(api, kind, policy))
    assert found.message.startswith(f"pods of a {kind} {message}")


@pytest.mark.parametrize(
    ("api", "kind", "policy"),
    [
        ("batch/v1", "Job", "restartPolicy: Never"),
        ("batch/v1", "Job", "restartPolicy: $POLICY"),
        ("apps/v1", "Deployment", ""),
        ("v1", "Pod", ""),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", ""),
        ("batch.volcano.sh/v1alpha1", "Job", "restartPolicy: Always"),
    ],
)
def test_a_policy_that_is_accepted(api: str, kind: str, policy: str) -> None:
    passes("CW-J080", OBJECT.format(api, kind, policy))
    passes("CW-J080", pytorch_job(pod()))


def test_a_patch_of_kustomize_leaves_the_policy_out() -> None:
    """A container without an image: the patched object has it, and the policy."""
    text = OBJECT.format("batch/v1", "Job", "")
    passes("CW-J080", text.replace(", image: registry/a:1", ""))
    fails("CW-J080", text)


@pytest.mark.parametrize("policy", ["OnFailure", "Always"])
def test_workers_of_mpirun_that_restart(policy: str) -> None:
    text = f"kind: MPIJob\nspec: {{mpiReplicaSpecs: {{Worker: {{restartPolicy: {policy}}}}}}}\n"
    found = fails("CW-J080", text)
    assert found.severity == "warning"
    assert "does not join a running mpirun" in found.message
    passes("CW-J080", text.replace(policy, "Never"))
