"""The report: text and JSON without ids, and the page of the probes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from clusterwright_localaws.probes import report
from clusterwright_localaws.probes.library import probes
from clusterwright_localaws.probes.model import Probe
from clusterwright_localaws.probes.running import Difference, Result
from clusterwright_localaws.probes.verifying import Report


@pytest.fixture
def found(probe: Callable[..., Probe]) -> Report:
    one = probe({"ec2.DescribeVpcs": {}, "answer": {"A": 1}})
    difference = Difference(
        1, "ec2.DescribeVpcs", "A", "1", "arn:aws:ec2:us-east-1:123456789012:vpc/vpc-0123456789abc"
    )
    return Report(
        "r1",
        "123456789012",
        "us-east-1",
        [
            Result(one, "different", "", [difference], ["what was made: vpc-0123456789abc"]),
            Result(one, "unknown", "step 1, ec2.DescribeVpcs: AccessDenied: user/ann"),
            Result(one, "same"),
            Result(one, "not_tried", "it creates something: --create"),
        ],
        0.25,
    )


def test_text(found: Report) -> None:
    assert report.as_text(found).splitlines() == [
        "DIFFERENT  one: something",
        "           step 1, ec2.DescribeVpcs: A",
        "             expected: 1",
        "             answered: arn:aws:ec2:us-east-1:<account>:vpc/vpc-<id>",
        "           source: the service's API model (operations, members, errors and their "
        "documentation) (packaged with botocore, read 2026-11-23)",
        "unknown    one: something",
        "           step 1, ec2.DescribeVpcs: AccessDenied: user/ann",
        "left behind: one: what was made: vpc-0123456789abc",
        "4 probes: 1 as AWS, 1 different, 1 unknown, 1 not tried; at most USD 0.25",
        "what was created has the tag localaws-verify=r1",
    ]


def test_json(found: Report) -> None:
    text = report.as_json(found)
    assert "123456789" not in text
    document = json.loads(text)
    assert (document["schema_version"], document["command"]) == (1, "localaws verify")
    assert document["exit_code"] == 1
    assert document["counts"] == {"same": 1, "different": 1, "unknown": 1, "not_tried": 1}
    assert document["probes"][0]["differences"][0]["answered"].endswith("<account>:vpc/vpc-<id>")


def test_exit_codes(found: Report) -> None:
    different, unknown, same, not_tried = found.results
    for results, code in (
        ([different, unknown], 1),
        ([unknown, same], 2),
        ([same, not_tried], 0),
    ):
        found.results = results
        assert found.exit_code == code


def test_listing_and_page_name_every_probe() -> None:
    listing, page = report.listing(), report.page()
    for probe in probes():
        assert f"{probe.id}  " in listing
        assert f"| `{probe.id}` |" in page
