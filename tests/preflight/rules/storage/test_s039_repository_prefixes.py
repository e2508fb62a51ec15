"""Tests of CW-S039."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.references import HasObjects
from tests.preflight.harness import Harness
from tests.support import specs

HERE = "storage.lustre[0].repositories[0].s3"


def linked(s3: str = "s3://acme-corpus/tokens", **more: Any) -> dict[str, Any]:
    repository = {"s3": s3, "path": "/data", **more}
    return {"storage.lustre": [{**specs.LUSTRE, "repositories": [repository]}]}


def test_prefix_of_a_data_set_has_objects(rule: Harness) -> None:
    fact = HasObjects("acme-corpus", "tokens/")
    changes = linked(**{"import": ["NEW"]})
    rule.passes("CW-S039", changes, {fact: True})
    rule.passes("CW-S039", changes, {fact: None})  # CW-S010 reports the missing bucket
    rule.fails("CW-S039", changes, {fact: False}, path=HERE, severity="warning",
               message="no object is below s3://acme-corpus/tokens")  # fmt: skip
    rule.fails("CW-S039", linked(preload=["/"]), {fact: False}, path=HERE,
               message="nodes see an empty folder")  # fmt: skip


def test_whole_bucket_is_a_prefix_too(rule: Harness) -> None:
    changes = linked("s3://acme-corpus", **{"import": ["NEW"]})
    rule.fails("CW-S039", changes, {HasObjects("acme-corpus", ""): False}, path=HERE,
               message="no object is below s3://acme-corpus")  # fmt: skip


def test_folder_for_results_may_be_empty(rule: Harness) -> None:
    rule.passes("CW-S039", linked(export=["NEW"]), tested=False)
    rule.passes("CW-S039", linked(create=True, **{"import": ["NEW"]}), tested=False)
