"""Tests of CW-I030."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness

EKS: dict[str, Any] = {
    "platform": "eks",
    "compute": [{"name": "w", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}],
}


def test_versions_that_are_known_not_to_work_are_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-I030",
        {"software": {"pyxis": "0.20.0", "enroot": "3.0.2"}},
        path="software.pyxis",
        message="enroot 3.0.2, pyxis 0.20.0: not satisfied: enroot is new enough for pyxis "
        "[NVIDIA/pyxis@1075199 README.md (2026-05-11)]",
        severity="error",
    )
    assert finding.hint == "pyxis 0.20.0 requires enroot 3.1.0 or newer"
    rule.passes("CW-I030", {"software": {"pyxis": "0.20.0", "enroot": "3.5.0"}})
    rule.passes("CW-I030", {})


def test_pairs_without_a_source_are_counted_as_unverified(rule: Harness) -> None:
    finding = rule.fails(
        "CW-I030",
        {"software": {"slurm": "25.11.8", "munge": "0.5.16"}},
        path="software.slurm",
        message="1 pair of versions unverified: no source states whether they work together: "
        "munge 0.5.16, Slurm 25.11.8",
        severity="info",
    )
    assert "run a job on one node first" in str(finding.hint)


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"software": {"cuda": "13.0", "nvidia_driver": "570.1"}}, "software.cuda", "CUDA 13.0"),
        (
            {"image": {"image_id": "ami-0123456789abcdef0", "nvidia_driver": "570.1"},
             "software": {"cuda": "13.0"}},
            "software.cuda",
            "NVIDIA driver 570.1, CUDA 13.0",
        ),
        (
            {"software": {"nvidia_driver": "570.1"}, "compute.1.software": {"cuda": "13.0"}},
            "compute[1].software.cuda",
            "NVIDIA driver 570.1, CUDA 13.0",
        ),
        (
            {"software": {"nccl": "2.24.3"}, "compute.1.instance_type": "p6-b200.48xlarge"},
            "software.nccl",
            "NCCL 2.24.3, instance type p6-b200.48xlarge",
        ),
        (
            {"software": {"nvidia_driver": "570.86.15"},
             "compute.1.instance_type": "p6-b200.48xlarge"},
            "software.nvidia_driver",
            "570.86.15, instance type p6-b200.48xlarge",
        ),
        (
            {"software": {"nccl": "2.27.5", "efa_installer": "1.28.0"}},
            "software.nccl",
            "EFA installer 1.28.0, NCCL 2.27.5",
        ),
        (
            {"software": {"slurmdbd": "24.11.5", "slurm": "25.11.8"}},
            "software.slurmdbd",
            "Slurm 25.11.8, slurmdbd 24.11.5",
        ),
        (
            {"software": {"lustre_client": "2.15.6", "kernel": "6.5.0", "os": "ubuntu-22.04"},
             "storage.lustre": [{"capacity_gib": 9600, "throughput_mbps_per_tib": 500,
                                 "efa": True}]},
            "software.lustre_client",
            "kernel 6.5.0, Lustre client 2.15.6",
        ),
        (
            {**EKS, "compute.0.instance_type": "p6-b200.48xlarge", "kubernetes.workloads": {
                "charts": [{"name": "aws-efa-k8s-device-plugin", "version": "0.5.5"}]}},
            "kubernetes.workloads.charts[0].version",
            "instance type p6-b200.48xlarge, EFA device plug-in 0.5.5",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
def test_kinds_of_pairs(rule: Harness, changes: dict[str, Any], path: str, message: str) -> None:
    found = [each for each in rule.run("CW-I030", changes).findings if each.severity == "error"]
    assert [each.path for each in found] == [path]
    assert message in found[0].message


def test_end_of_support_is_a_warning(rule: Harness) -> None:
    changes = {"compute.1.instance_type": "trn1.32xlarge", "software": {"neuron_sdk": "2.30.0"}}
    finding = rule.fails(
        "CW-I030", changes, path="software.neuron_sdk", message="Neuron SDK 2.30.0, instance type",
        severity="warning",
    )  # fmt: skip
    assert "pin 2.28" in str(finding.hint)
    found = rule.run("CW-I030", {**changes, "software": {"neuron_sdk": "2.28.1"}}).findings
    assert [each.severity for each in found] == ["info"]


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"compute.0.software": {"nccl": "2.27.5"}},
            "compute[0].software.nccl",
            "NCCL: group controller has no NVIDIA accelerators",
        ),
        ({"software": {"neuron_sdk": "2.28.0"}}, "software.neuron_sdk", "Neuron SDK: no group"),
        (
            {"compute.0.software": {"libfabric": "2.1"}},
            "compute[0].software.libfabric",
            "libfabric: group controller has no EFA",
        ),
    ],
)
def test_versions_of_what_nodes_do_not_have_are_reported(
    rule: Harness, changes: dict[str, Any], path: str, message: str
) -> None:
    found = [each for each in rule.run("CW-I030", changes).findings if each.severity == "warning"]
    assert [each.path for each in found] == [path]
    assert message in found[0].message
