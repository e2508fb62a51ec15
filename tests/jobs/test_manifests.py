"""What rules ask about manifests on a cluster."""

from __future__ import annotations

from clusterwright.catalog import load_catalog
from clusterwright.jobs.manifest_file import read_manifests
from clusterwright.jobs.manifests import Manifests, variables
from tests.jobs.made import loaded
from tests.jobs.made_manifests import SPEC, in_list, pod, pytorch_job


def of(text: str) -> Manifests:
    return Manifests(read_manifests(text, "job.yaml"), loaded(dict(SPEC)), load_catalog())


def test_pods_of_a_job_are_those_of_its_object() -> None:
    manifests = of(in_list(pytorch_job(pod(), replicas=4), pytorch_job(pod(), replicas="$N")))
    first, second = manifests.pods
    assert manifests.pods_of_job(first) == 4
    assert manifests.pods_of_job(second) is None


def test_labels_of_nodes() -> None:
    manifests = of(pytorch_job(pod()))
    system, hopper = manifests.cluster.compute
    assert manifests.labels(hopper)["kubernetes.io/arch"] == "amd64"
    assert manifests.labels(hopper)["topology.kubernetes.io/region"] == "us-east-1"
    (selected,) = of(
        pytorch_job(pod(nodeSelector={"clusterwright.dev/group": "hopper"}))
    ).selected(manifests.pods[0])[1:]
    assert (system.name, selected.name) == ("system", "hopper")


def test_variables_with_and_without_a_value() -> None:
    made = pod()
    reference = {"secretKeyRef": {"name": "hub", "key": "token"}}
    made["containers"][0]["env"] = [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": reference},
    ]
    found = list(variables(of(pytorch_job(made))))
    assert [(name.text, value and value.text) for name, value in found] == [
        ("A", "1"),
        ("B", None),
    ]
