"""What a node should be."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance.expected import (
    FILE,
    NoExpectation,
    SizedFloor,
    read_expected,
    type_of,
)

from tests.nodes.acceptance.fake_node import EXPECTED, Node


def test_file_is_read_back(node: Node) -> None:
    node.expect(
        floors={"nvlink-allreduce": 440.0},
        sized_floors=(SizedFloor("cluster-allreduce", 200.0, 1024, 8),),
        waivers=({"check": "xid", "reason": "why", "expires": "2027-01-01"},),
        programs={"all_reduce_perf": "/opt/all_reduce_perf"},
    )
    assert read_expected(node.probe()) == node.expected


def test_type_is_that_of_the_catalogue() -> None:
    kind = EXPECTED.type
    assert (kind.accelerator_count, kind.efa_interfaces, kind.vcpus) == (8, 32, 192)
    assert (kind.nvme_count, kind.nvme_gb, kind.memory_gib) == (8, 3800, 2048)
    assert type_of("p99.48xlarge").accelerator_count is None


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": 2},
        {"kind": "tpu"},
        {"lustre": [{"path": "/fsx"}]},
        {"floors": {"a": "x"}},
    ],
)
def test_invalid_file_is_refused(node: Node, change: dict[str, object]) -> None:
    content = json.loads((node.root / FILE.lstrip("/")).read_text())
    node.write(FILE, json.dumps({**content, **change}))
    with pytest.raises(NoExpectation):
        read_expected(node.probe())


def test_missing_file_is_refused(node: Node) -> None:
    (node.root / FILE.lstrip("/")).unlink()
    with pytest.raises(NoExpectation, match="cannot be read"):
        read_expected(node.probe())
