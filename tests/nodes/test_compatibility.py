"""Incompatible versions."""

from __future__ import annotations

import pytest
from clusterwright_node import compatibility
from clusterwright_node.compatibility import REFUSED, UNKNOWN, WORKS


def verdicts(instance_type: str = "p5.48xlarge", compat: bool = False, **found: str) -> list[str]:
    return [rule.verdict for rule in compatibility.judge(found, instance_type, compat)]


@pytest.mark.parametrize(
    ("driver", "cuda", "compat", "verdict"),
    [
        ("580.65.06", "13.0.1", False, WORKS),
        ("570.172.08", "13.0.1", False, REFUSED),
        ("570.172.08", "13.0.1", True, UNKNOWN),
        ("525.60.13", "12.9", False, WORKS),
        ("470.82.01", "12.0", False, REFUSED),
        ("999.1", "11.8", False, WORKS),
        ("570.1", "14.0", False, UNKNOWN),
        ("570.1", "10.2", False, UNKNOWN),
    ],
)
def test_cuda_is_compared_with_the_driver(
    driver: str, cuda: str, compat: bool, verdict: str
) -> None:
    assert verdicts(compat=compat, nvidia_driver=driver, cuda=cuda)[1] == verdict


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"aws_ofi_nccl": "1.21.1", "libfabric": "1.10.1", "nccl": "2.17.1"}, [REFUSED, WORKS]),
        ({"aws_ofi_nccl": "1.21.1", "libfabric": "1.11.0", "nccl": "2.16.5"}, [WORKS, REFUSED]),
        ({"aws_ofi_nccl": "1.9.1-aws", "libfabric": "1.22.0amzn1.0"}, [WORKS, UNKNOWN]),
        ({"aws_ofi_nccl": "9.9.9", "libfabric": "1.0", "nccl": "1.0"}, [UNKNOWN, UNKNOWN]),
    ],
)
def test_plugin_is_compared_with_its_release_notes(
    found: dict[str, str], expected: list[str]
) -> None:
    assert verdicts(**found)[2:] == expected


def test_only_types_with_documented_nvswitch_are_refused() -> None:
    other = {"nvidia_driver": "570.172.08", "fabric_manager": "1.2.3"}
    for name in ("p4d.24xlarge", "p4de.24xlarge", "p5e.48xlarge", "p5en.48xlarge"):
        assert verdicts(name, **other)[0] == REFUSED
    for name in ("p5.4xlarge", "g6e.48xlarge", "p6e-gb200.36xlarge", "p6-b300.48xlarge"):
        assert verdicts(name, **other)[0] == UNKNOWN
    assert verdicts("p5.4xlarge", nvidia_driver="570.1", fabric_manager="570.1")[0] == WORKS
