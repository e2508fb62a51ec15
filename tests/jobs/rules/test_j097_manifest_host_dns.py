"""CW-J097: Pods in the network of their node find the services of the cluster."""

from __future__ import annotations

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def test_a_training_in_the_network_of_its_nodes() -> None:
    found = fails("CW-J097", pytorch_job(pod(hostNetwork=True)))
    assert found.hint == "dnsPolicy: ClusterFirstWithHostNet"
    fails("CW-J097", pytorch_job(pod(hostNetwork=True, dnsPolicy="ClusterFirst")))


def test_a_policy_that_knows_services() -> None:
    passes("CW-J097", pytorch_job(pod(hostNetwork=True, dnsPolicy="ClusterFirstWithHostNet")))
    passes("CW-J097", pytorch_job(pod(hostNetwork=True), replicas=1))
    passes("CW-J097", pytorch_job(pod()))
