"""CW-J071: Nodes with the labels that a pod selects exist."""

from __future__ import annotations

import json

import pytest

from tests.jobs.made_manifests import (
    HYPERPOD,
    SPEC,
    fails,
    in_list,
    passes,
    pod,
    pytorch_job,
)

TYPE = "node.kubernetes.io/instance-type"
GROUP = "clusterwright.dev/group"


def test_hyperpod_has_types_with_a_prefix() -> None:
    text = pytorch_job(pod(nodeSelector={TYPE: "p5.48xlarge"}))
    found = fails("CW-J071", text, HYPERPOD)
    assert found.message == f"no nodes have {TYPE}: p5.48xlarge"
    assert found.hint is not None
    assert found.hint.endswith("ml.p5.48xlarge; HyperPod's labels begin with ml.")
    passes("CW-J071", text, SPEC)


@pytest.mark.parametrize(
    "selector",
    [
        {TYPE: "g5.48xlarge"},
        {GROUP: "workers"},
        {GROUP: "system", TYPE: "p5.48xlarge"},
    ],
)
def test_labels_that_no_nodes_have(selector: dict[str, str]) -> None:
    fails("CW-J071", pytorch_job(pod(nodeSelector=selector)))


@pytest.mark.parametrize(
    "selector",
    [
        {},
        {TYPE: "p5.48xlarge", GROUP: "hopper"},
        {TYPE: "${INSTANCE_TYPE}"},
        {"kubernetes.io/arch": "amd64", "team": "x"},
    ],
)
def test_labels_of_nodes_or_unknown_ones(selector: dict[str, str]) -> None:
    passes("CW-J071", pytorch_job(pod(nodeSelector=selector)))


def test_daemon_sets_have_a_pod_for_each_node() -> None:
    spec = pod(nodeSelector={TYPE: "g5.48xlarge"})
    made = {"kind": "DaemonSet", "spec": {"template": {"spec": spec}}}
    passes("CW-J071", json.dumps(made))
    passes("CW-J071", in_list(json.dumps(made)))
    fails("CW-J071", in_list(json.dumps(made), pytorch_job(spec)))


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ({"kubernetes.io/arch": "arm64"}, False),
        ({"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}, True),
        ({"topology.kubernetes.io/region": "us-west-2"}, False),
        ({"topology.kubernetes.io/zone": "us-west-2a"}, False),
        ({"topology.kubernetes.io/zone": "us-east-1d"}, True),
        ({TYPE: "PLACEHOLDER_TYPE"}, True),
    ],
)
def test_labels_of_every_node(selector: dict[str, str], fits: bool) -> None:
    text = pytorch_job(pod(nodeSelector=selector))
    if fits:
        passes("CW-J071", text)
    else:
        assert fails("CW-J071", text).message.startswith("no nodes have ")


def _affinity(*terms: list[dict[str, object]]) -> str:
    return _terms(*({"matchExpressions": term} for term in terms))


def _terms(*terms: dict[str, object]) -> str:
    required = {"nodeSelectorTerms": list(terms)}
    node = {"requiredDuringSchedulingIgnoredDuringExecution": required}
    return pytorch_job(pod(affinity={"nodeAffinity": node}))


def _is(operator: str, *values: str) -> dict[str, object]:
    key = "node.kubernetes.io/instance-type"
    return {"key": key, "operator": operator, "values": list(values)}


def test_affinity_that_no_group_meets() -> None:
    found = fails("CW-J071", _affinity([_is("In", "p4d.24xlarge")]))
    assert found.hint == (
        "the spec's nodes have node.kubernetes.io/instance-type m5.4xlarge, p5.48xlarge"
    )
    fails("CW-J071", _affinity([_is("NotIn", "m5.4xlarge", "p5.48xlarge")]))
    fails("CW-J071", _affinity([_is("In", "p5.48xlarge"), _is("NotIn", "p5.48xlarge")]))


def test_affinity_that_a_group_meets() -> None:
    passes("CW-J071", _affinity([_is("In", "p4d.24xlarge", "p5.48xlarge")]))
    passes("CW-J071", _affinity([_is("In", "p4d.24xlarge")], [_is("In", "p5.48xlarge")]))
    passes("CW-J071", _affinity([{"key": "of-users", "operator": "In", "values": ["a"]}]))
    passes("CW-J071", _affinity([{"key": "of-users", "operator": "DoesNotExist"}]))


def test_terms_with_fields() -> None:
    """Terms are alternatives; in a term expressions and fields hold together."""
    fields = [{"key": "metadata.name", "operator": "In", "values": ["ip-10-0-0-1"]}]
    other = {"matchExpressions": [_is("In", "p4d.24xlarge")]}
    passes("CW-J071", _terms({"matchFields": fields}))
    passes("CW-J071", _terms({"matchFields": fields}, other))
    fails("CW-J071", _terms({"matchFields": fields, **other}))
    fails("CW-J071", _terms({}, other))
