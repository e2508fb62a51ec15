"""What a job's log proves about its software."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms import proven_software
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.software_pairs import REFUSED, UNKNOWN, WORKS, Finding
from tests.support import specs
from tests.support.rich_specs import MINIMAL, changed

CATALOG = load_catalog()

EFA_LOG = """\
0: NCCL version 2.27.5+cuda12.9
1: ip-10-0-0-1:83:83 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.21.1
1: ip-10-0-0-1:83:83 [0] NCCL INFO NET/OFI Using Libfabric version 2.1
1: ip-10-0-0-1:83:83 [0] NCCL INFO NET/OFI Using CUDA driver version 13000 with runtime 12090
[1,0]<stdout>:a:1:1 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)
0: a:1:1 [0] NCCL INFO Using network AWS Libfabric
#  Avg bus bandwidth    : 356.1
"""  # noqa: E501

TCP_LOG = """\
NCCL version 2.29.7+cuda13.0
a:1:1 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net-aws-ofi.so
a:1:1 [0] NCCL INFO Using network Socket
"""


Findings = Callable[..., dict[str, Finding]]


@pytest.fixture
def found(tmp_path: Path) -> Findings:
    """The findings by rule of a log of a job on p5.48xlarge; keywords are declared versions."""

    def look(log: str, instance_type: str = "p5.48xlarge", **declared: str) -> dict[str, Finding]:
        spec = changed(MINIMAL, software=declared, compute__1__instance_type=instance_type)
        cluster = load_cluster(specs.write(tmp_path / "test.yaml", spec)).cluster
        proven = proven_software.read(log.splitlines())
        group = cluster.compute[1]
        return {e.rule: e for e in proven_software.findings(proven, cluster, group, CATALOG)}

    return look


def test_versions_and_transport_are_read_behind_any_prefix() -> None:
    proven = proven_software.read(EFA_LOG.splitlines())
    assert proven.versions == {
        "nccl": "2.27.5",
        "aws_ofi_nccl": "1.21.1",
        "libfabric": "2.1",
        "cuda": "12.9",
    }
    assert (proven.transport, proven.provider, proven.fabric) == ("efa", "efa", "efa-direct")
    assert proven.interface_count == 32
    assert proven.different == ()


def test_a_log_without_software_is_empty() -> None:
    assert proven_software.read("step: 1 loss: 2.0\n".splitlines()).is_empty
    proven = proven_software.read(TCP_LOG.splitlines())
    assert not proven.is_empty
    assert proven.lines[0] == "NCCL version 2.29.7+cuda13.0"
    assert len(proven.lines) == 3


def test_job_over_efa_is_proven(found: Findings) -> None:
    rules = found(EFA_LOG, nccl="2.27")
    assert rules["NCCL communicates over EFA"].verdict == WORKS
    assert rules["NCCL is new enough for aws-ofi-nccl"].verdict == WORKS
    assert "the job runs the declared versions" not in rules


def test_job_that_fell_back_to_tcp_is_refused(found: Findings) -> None:
    proven = proven_software.read(TCP_LOG.splitlines())
    assert (proven.transport, proven.plugin_missing) == ("socket", True)
    finding = found(TCP_LOG)["NCCL communicates over EFA"]
    assert (finding.verdict, finding.text) == (REFUSED, "transport socket")
    assert "install aws-ofi-nccl in the job's image" in finding.hint


def test_one_rank_over_tcp_is_enough(found: Findings) -> None:
    assert proven_software.read((EFA_LOG + TCP_LOG).splitlines()).transport == "socket"
    assert found(EFA_LOG + TCP_LOG)["all ranks run the same software"].verdict == REFUSED


@pytest.mark.parametrize(
    ("line", "transport"),
    [
        ("a [0] NCCL INFO NET/OFI Selected Provider is efa", "efa"),
        ("a [0] NCCL INFO NET/OFI Selected Provider is tcp;ofi_rxm", "other"),
        ("a [0] NCCL INFO Using network IB", "other"),
        ("step: 1 loss: 2.0", "unknown"),
        ("", "unknown"),
    ],
)
def test_transports(line: str, transport: str) -> None:
    assert proven_software.read(line.splitlines()).transport == transport


def test_log_without_debug_output_proves_nothing(found: Findings) -> None:
    log = "NCCL version 2.27.5+cuda12.9"
    assert found(log)["NCCL communicates over EFA"].verdict == UNKNOWN


def test_type_without_efa_is_not_expected_to_use_it(found: Findings) -> None:
    assert "NCCL communicates over EFA" not in found(TCP_LOG, instance_type="g5.xlarge")


def test_fewer_interfaces_than_the_type_has(found: Findings) -> None:
    log = EFA_LOG.replace("found 32", "found 4")
    finding = found(log)["NCCL communicates over EFA"]
    assert (finding.verdict, finding.text) == (
        REFUSED,
        "transport efa, provider efa, 4 of 32 interfaces",
    )


def test_other_version_than_declared(found: Findings) -> None:
    finding = found(EFA_LOG, nccl="2.26")["the job runs the declared versions"]
    assert (finding.verdict, finding.text) == (REFUSED, "NCCL is 2.27.5, declared is 2.26")


def test_libraries_of_the_log_are_compared_with_the_declared_drivers(found: Findings) -> None:
    rules = found(EFA_LOG, efa_installer="1.28.0", nvidia_driver="470.1")
    assert {rule for rule, each in rules.items() if each.verdict == REFUSED} == {
        "the driver is new enough for CUDA",
        "the EFA installer is new enough for NCCL",
    }
