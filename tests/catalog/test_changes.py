"""Differences between two catalogues."""

from __future__ import annotations

from typing import Any

from clusterwright.catalog import changes, directory, snapshot
from clusterwright.catalog.api_shapes import API_FIELDS
from clusterwright.catalog.snapshot import Snapshot
from clusterwright.catalog.store import Store

STORE = Store()


BEFORE = directory.read(STORE)


def answered(name: str, **different: Any) -> dict[str, Any]:
    """The API fields of a type as in the data, some of them changed."""
    record = BEFORE["instances"]["instances"].get(name) or {}
    return {**{field: record.get(field, 0) for field in API_FIELDS}, **different}


def live(**different: Any) -> Snapshot:
    fields: dict[str, Any] = {
        "region": "us-east-1",
        "date": "2027-02-01",
        "endpoint": None,
        "instances": {"p5.48xlarge": answered("p5.48xlarge")},
        "zones": ("use1-az1", "use1-az6"),
        "local_zones": {},
        "offers": {"p5.48xlarge": ("use1-az6",)},
        "prices": {
            ("p5.48xlarge", "ec2-on-demand"): "60.00",
            ("p5.48xlarge", "hyperpod-on-demand"): "66.048",
        },
        "quotas": (("sagemaker", "L-8762A75F", "ml.p5.48xlarge for cluster usage", "None", 4.0),),
    }
    return Snapshot(**{**fields, **different})


def test_differences_are_listed_by_fact() -> None:
    made = snapshot.apply(BEFORE, live(parts=("prices",)))
    found = changes.compare(BEFORE, made)
    by_fact = {change.fact: change for change in found.changes}
    p5 = by_fact["p5.48xlarge ec2-on-demand us-east-1"]
    assert (p5.kind, p5.before, p5.after) == (
        "changed",
        "55.04 USD per instance-hour",
        "60 USD per instance-hour",
    )
    gone = by_fact["p4d.24xlarge ec2-on-demand us-east-1"]
    assert gone.after == "unknown: not in the Price List of us-east-1 on 2027-02-01"
    assert found.confirmed == 1
    assert {change.data_set for change in found.changes} == {"prices"}


def test_equal_catalogues_have_no_differences() -> None:
    found = changes.compare(BEFORE, BEFORE)
    assert found.changes == ()
    assert found.confirmed == 0


def test_added_and_removed_facts() -> None:
    made = snapshot.apply(BEFORE, live(offers={}))
    kinds = {c.fact: c.kind for c in changes.compare(BEFORE, made).changes}
    assert kinds["p5.48xlarge us-east-1"] == "removed"
    kinds = {c.fact: c.kind for c in changes.compare(made, BEFORE).changes}
    assert kinds["p5.48xlarge us-east-1"] == "added"
