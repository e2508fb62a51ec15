"""Incompatible versions."""

from __future__ import annotations

import pytest
from clusterwright_node import compatibility
from clusterwright_node.compatibility import REFUSED, UNKNOWN, WORKS


def verdicts(
    instance_type: str = "p5.48xlarge", features: tuple[str, ...] = (), **found: str
) -> dict[str, str]:
    judged = compatibility.judge(found, instance_type, features)
    return {" ".join(each.components): each.verdict for each in judged}


@pytest.mark.parametrize(
    ("driver", "cuda", "compat", "verdict"),
    [
        ("580.65.06", "13.0.1", False, WORKS),
        ("570.172.08", "13.0.1", False, REFUSED),
        ("570.172.08", "13.0.1", True, UNKNOWN),
        ("580.65.06", "13.0.1", True, WORKS),
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
    features = (compatibility.CUDA_COMPAT,) if compat else ()
    found = verdicts(features=features, nvidia_driver=driver, cuda=cuda)
    assert found["cuda nvidia_driver"] == verdict


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
    judged = verdicts(**found)
    assert [judged["aws_ofi_nccl libfabric"], judged["aws_ofi_nccl nccl"]] == expected


def test_only_types_with_documented_nvswitch_are_refused() -> None:
    pair = "fabric_manager nvidia_driver"
    other = {"nvidia_driver": "570.172.08", "fabric_manager": "1.2.3"}
    for name in ("p4d.24xlarge", "p4de.24xlarge", "p5e.48xlarge", "p5en.48xlarge"):
        assert verdicts(name, **other)[pair] == REFUSED
    for name in ("p5.4xlarge", "g6e.48xlarge", "p6e-gb200.36xlarge", "p6-b300.48xlarge"):
        assert verdicts(name, **other)[pair] == UNKNOWN
    equal = {"nvidia_driver": "570.1", "fabric_manager": "570.1"}
    assert verdicts("p5.4xlarge", **equal)[pair] == WORKS


def test_lustre_with_efa_requires_a_kernel_and_an_operating_system() -> None:
    old = {"lustre_client": "2.15.6", "kernel": "6.5.0-1022-aws", "os": "ubuntu-22.04"}
    efa = (compatibility.EFA_LUSTRE,)
    assert verdicts(features=efa, **old)["lustre_client kernel"] == REFUSED
    assert verdicts(**old)["lustre_client kernel"] == UNKNOWN
    rhel = {**old, "os": "rhel-9.4"}
    assert verdicts(features=efa, **rhel)["lustre_client os"] == REFUSED


def test_components_of_kubernetes_are_not_judged_on_nodes() -> None:
    assert not any("kubernetes" in pair or "device_plugin" in pair for pair in verdicts())


def test_declared_versions_are_compared_as_far_as_they_are_stated() -> None:
    declared = {"nccl": "2.27", "cuda": "13.0", "nvidia_driver": "595.91.07", "pyxis": "0.20.0"}
    seen = {"nccl": "2.27.5", "cuda": "12.8.1", "nvidia_driver": "595.91.07"}
    assert compatibility.compare_declared(declared, seen) == (
        ["CUDA is 12.8.1, declared is 13.0"],
        ["pyxis 0.20.0"],
    )
    # 2.2 is not 2.27, and what the model does not know is shown by its name.
    assert compatibility.compare_declared({"nccl": "2.2"}, seen)[0] == [
        "NCCL is 2.27.5, declared is 2.2"
    ]
    assert compatibility.compare_declared({"other": "1"}, {}) == ([], ["other 1"])
