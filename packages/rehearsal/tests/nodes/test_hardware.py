"""The hardware of instance types, from the catalogue."""

from __future__ import annotations

import json

import pytest

from clusterwright_rehearsal.nodes.hardware import hardware_of


@pytest.mark.parametrize(
    ("instance_type", "kind", "count"),
    [
        ("p5.48xlarge", "nvidia", 8),
        ("ml.p5.48xlarge", "nvidia", 8),
        ("trn1.32xlarge", "neuron", 16),
        ("m5.xlarge", "none", 0),
    ],
)
def test_accelerators_of_a_type(instance_type: str, kind: str, count: int) -> None:
    found = hardware_of(instance_type).as_file("i-1")
    assert (found["accelerator"]["kind"], found["accelerator"]["count"]) == (kind, count)
    assert found["instance_id"] == "i-1"
    json.dumps(found)


def test_efa_and_disks_are_those_of_the_type() -> None:
    found = hardware_of("p5.48xlarge").as_file("i-1")
    assert (found["efa"], found["nvme"]) == (32, {"count": 8, "gb": 3800})
    assert (found["cpus"], found["cores"], found["memory_gib"]) == (192, 96, 2048.0)
    assert hardware_of("m5.xlarge").as_file("i-1")["efa"] == 0
