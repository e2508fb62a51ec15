"""The output of nccl-tests and nccom-test."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance.nccl_output import (
    BadOutput,
    Provider,
    parse,
    parse_nccom,
    providers,
    why_not_efa,
)

OUTPUT = """# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 8589934592 step: 8(factor) warmup iters: 5
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
  1073741824     268435456     float     sum      -1   4622.5  232.29  435.54      0   4610.1  232.91  436.71      0
  8589934592    2147483648     float     sum      -1  3.3e+04  255.32  478.70      0   33611.7  255.56  479.18      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 457.533
#
"""  # noqa: E501
PROVIDER = (
    "ip-1:9:9 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"
)


def prefixed(prefix: str) -> str:
    return "\n".join(prefix + line for line in OUTPUT.splitlines())


@pytest.mark.parametrize(
    "text",
    [OUTPUT, prefixed("0: "), prefixed(" 12: "), prefixed("[1,0]<stdout>:"), prefixed("0:")],
)
def test_result_is_read_with_every_prefix(text: str) -> None:
    found = parse(text)
    assert [(row.size_bytes, row.busbw) for row in found.rows] == [
        (1 << 30, 435.54),
        (8 << 30, 478.70),
    ]
    assert found.rows[1].time_us == 33000.0
    assert (found.average, found.wrong) == (457.533, 0)
    assert found.busbw(8 << 30) == 478.70
    with pytest.raises(BadOutput):
        found.busbw(1)


def test_wrong_values_are_counted() -> None:
    assert parse(OUTPUT.replace("435.54      0", "435.54      3")).wrong == 3
    assert parse(OUTPUT.replace("values : 0 OK", "values : 7 FAILED")).wrong == 7
    with pytest.raises(BadOutput, match="out of bounds values: FAILED"):
        parse(OUTPUT.replace("values : 0 OK", "values : 0 FAILED"))
    unchecked = parse(
        OUTPUT.replace("      0   4610.1", "    N/A   4610.1").replace(
            "436.71      0", "436.71    N/A"
        )
    )
    assert unchecked.rows[0].wrong is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the output has no results"),
        (OUTPUT.split("# Out", maxsplit=1)[0], "did not finish"),
        (OUTPUT.split("# Avg", maxsplit=1)[0], "did not finish"),
        ("0: ip-1: Test NCCL failure common.cu:1279 'internal error'", "Test NCCL failure"),
        ("srun: error: ip-1: task 0: Aborted", "srun: error"),
    ],
)
def test_unfinished_run_is_no_result(text: str, reason: str) -> None:
    with pytest.raises(BadOutput, match=reason):
        parse(text)


def test_provider_is_read() -> None:
    assert providers(PROVIDER) == [Provider("efa", "efa-direct", 32)]
    old = "NCCL INFO NET/OFI Selected Provider is efa (found 4 nics)"
    assert providers(old) == [Provider("efa", None, 4)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PROVIDER, None),
        (PROVIDER.replace("32", "31"), "NCCL found 31 of 32 EFA interfaces"),
        (f"{PROVIDER}\n{PROVIDER.replace('32', '16')}", "NCCL found 16 of 32 EFA interfaces"),
        (PROVIDER.replace("is efa,", "is tcp;ofi_rxm,"), "provider tcp;ofi_rxm, not efa"),
        ("NCCL INFO Using network Socket", "NCCL used TCP sockets, not EFA"),
        ("", "does not name the network"),
        ("NET/OFI Selected provider is efa", "does not say how many"),
    ],
)
def test_means_of_the_run_are_asserted(text: str, reason: str | None) -> None:
    found = why_not_efa(text, 32)
    assert (found is None) if reason is None else (found is not None and reason in found)


def test_number_is_not_compared_where_it_is_not_known() -> None:
    assert why_not_efa("NET/OFI Selected provider is efa", None) is None


def test_report_of_nccom_test_is_read() -> None:
    row = {"size(B)": 1048576, "count(elems)": 262144, "type": "fp32", "algbw(GB/s)": 20.1,
           "busbw(GB/s)": 40.7, "time:avg(us)": 50}  # fmt: skip
    assert parse_nccom(json.dumps({"results": [row]})) == {1048576: 40.7}
    for text in ("", "{}", '{"results": []}', '{"results": [{}]}'):
        with pytest.raises(BadOutput):
            parse_nccom(text)
