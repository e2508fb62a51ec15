"""NVSHMEM by the files that its errors name."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_nvshmem import PARTS
from tests.diagnosis.made import findings, of_log

SOURCE = "/opt/build/nvshmem_src/src"
CASES = (
    ("modules/transport/ibgda/ibgda.cpp:2234: NULL value Unable to create ah.", "(IBGDA)"),
    (
        "host/transport/transport.cpp:nvshmemi_transport_init:275: init failed for transport: IBGDA",
        "(IBGDA)",
    ),
    (
        "modules/transport/ibrc/ibrc.cpp:418: non-zero status: 110 ibv_modify_qp failed",
        "(IBRC, IBDEVX)",
    ),
    (
        "modules/transport/libfabric/libfabric.cpp:931: non-zero status: -61 fi_getinfo failed",
        "libfabric",
    ),
    ("modules/transport/ucx/ucx.cpp:77: error status: -3 ucp_init failed", "UCX"),
    ("host/bootstrap/bootstrap.cpp:30: NULL value Bootstrap unable to load 'x.so'", "(bootstrap)"),
    ("host/mem/mem_heap.cpp:88: non-zero status: 2 cuMemCreate failed", "symmetric heap"),
    ("host/transport/transport.cpp:420: non-zero status: 7 connect EPS failed", "no transport"),
    ("host/proxy/proxy.cpp:91: non-zero status: 1 progress failed", "the proxy"),
    ("host/init/init.cu:1047: non-zero status: 7 setup failed", "cannot be initialised"),
    ("host/init/init.cu:99: non-zero status: 7 Version mismatch found", "different versions"),
    ("host/team/team.cu:12: NULL value no more teams", "an operation failed"),
)


@pytest.mark.parametrize(("error", "words"), CASES)
def test_error_is_of_the_part_whose_file_it_names(error: str, words: str) -> None:
    (found,) = findings(*of_log(f"{SOURCE}/{error}"))
    assert found.cause.startswith("NVSHMEM: ")
    assert words in found.cause


def test_every_part_has_a_case() -> None:
    causes = [findings(*of_log(f"{SOURCE}/{error}"))[0].cause for error, _ in CASES]
    assert all(any(part.wrong in cause for cause in causes) for part in PARTS)


def test_first_error_of_a_log_is_the_cause() -> None:
    lines = [f"{SOURCE}/{error}" for error, _ in (CASES[0], CASES[7], CASES[9])]
    (found,) = findings(*of_log("\n".join(lines)))
    assert "(IBGDA)" in found.cause


@pytest.mark.parametrize(
    "line",
    [
        "WARN: Failed to initialize all selected devices. Perf may be limited.",
        f"{SOURCE}/modules/transport/common/transport_ib_common.h 103 NVSHMEM_IB_ADDR_FAMILY set by environment",
    ],
)
def test_other_lines_of_it_are_no_errors(line: str) -> None:
    assert findings(*of_log(f"{line}\nNVSHMEM v3.4.5\nstep 1\nstep 2\n")) == ()
