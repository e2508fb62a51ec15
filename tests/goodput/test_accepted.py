"""Bus bandwidths of acceptance by number of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.goodput.accepted import NotOfAcceptance, accepted_bandwidths
from clusterwright.goodput.results import AcceptedBandwidth, Unknown


def check(nodes: Any, mib: Any, value: Any, **changes: Any) -> dict[str, Any]:
    row = {"id": "cluster-allreduce", "nodes": nodes, "size_mib": mib, "value": value}
    return {**row, "floor": None, "verdict": "pass", **changes}


def test_reports_of_acceptance() -> None:
    other = check(4, 1024, 3.0, id="lustre-write")
    first = {"command": "accept", "cluster_checks": [check(2, 1024, 435.0, floor=370.0), other]}
    second = {"command": "accept", "cluster_checks": [check(4, 1024, 280.0, verdict="fail")]}
    assert accepted_bandwidths([("b.json", second), ("a.json", first)], None) == (
        (
            AcceptedBandwidth(2, 1024, 435.0, 370.0, "pass", "a.json"),
            AcceptedBandwidth(4, 1024, 280.0, None, "fail", "b.json"),
        ),
        (),
    )


def test_the_records_of_the_controller() -> None:
    row = {"instance_type": "p5.48xlarge", "nodes": 2, "ranks": 16, "size_mib": 512, "gbs": 396.0}
    rows = [row, {**row, "instance_type": "p4d.24xlarge"}, {**row, "gbs": "x"}]
    document = {"schema_version": 1, "accepted": rows}
    assert accepted_bandwidths([("accepted.json", document)], "p5.48xlarge") == (
        (AcceptedBandwidth(2, 512, 396.0, None, "pass", "accepted.json"),),
        (),
    )


def test_a_file_without_an_all_reduce_is_named() -> None:
    row = {"instance_type": "ml.p5.48xlarge", "nodes": 2, "ranks": 16, "size_mib": 8, "gbs": 3.0}
    files = [("a.json", {"accepted": [row]}), ("b.json", {"cluster_checks": []})]
    what = "the all-reduce of acceptance"
    assert accepted_bandwidths(files, "p5.48xlarge") == (
        (),
        (
            Unknown(what, "a.json has no all-reduce of p5.48xlarge with a bandwidth"),
            Unknown(what, "b.json has no all-reduce with a bandwidth"),
        ),
    )
    assert accepted_bandwidths([("a.json", {"accepted": []})], None) == (
        (),
        (Unknown(what, "a.json has no all-reduce with a bandwidth"),),
    )


def test_a_later_file_replaces_the_same_measurement() -> None:
    files = [(f"{value}.json", {"cluster_checks": [check(2, 8, value)]}) for value in (1.0, 2.0)]
    assert [one.gbs for one in accepted_bandwidths(files, None)[0]] == [2.0]


@pytest.mark.parametrize(
    "row",
    [
        check(2, 8, None),
        check(0, 8, 1.0),
        check(2, 8, float("inf")),
        check(2, 8, -1.0),
        check(2, 8, True),
        check("2", 8, 1.0),
        check(2, [], 1.0),
        "text",
    ],
)
def test_a_test_without_a_figure_is_none(row: Any) -> None:
    assert accepted_bandwidths([("a.json", {"cluster_checks": [row]})], None)[0] == ()


@pytest.mark.parametrize("document", [[], {}, {"cluster_checks": 1}, {"accepted": "x"}])
def test_other_documents_are_refused(document: Any) -> None:
    with pytest.raises(NotOfAcceptance):
        accepted_bandwidths([("a.json", document)], None)
