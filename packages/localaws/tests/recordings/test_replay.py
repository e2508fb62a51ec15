"""The comparison of recorded calls with the answers of another endpoint."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from clusterwright_localaws.probes.calls import Answer, NoAnswer
from clusterwright_localaws.probes.model import Call
from clusterwright_localaws.recordings.replay import (
    PLACEHOLDER,
    Replay,
    Replayed,
    as_text,
    exit_code,
)


def line(operation: str, parameters: Any, answer: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "service": "ec2",
        "operation": operation,
        "region": "us-east-1",
        "status": 200,
        "error": None,
        "parameters": parameters,
        "answer": answer or {},
        **more,
    }


def replay(*given: tuple[dict[str, Any], Any]) -> tuple[list[Replayed], list[Call]]:
    answers = [answer for _, answer in given]
    calls: list[Call] = []

    def ask(call: Call, region: str) -> Answer:
        answer = answers[len(calls)]
        calls.append(call)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Answer) else Answer(200, answer)

    return Replay(ask).run([one for one, _ in given]), calls


def test_ids_are_translated() -> None:
    made = line("CreateVpc", {}, {"Vpc": {"VpcId": "vpc-0aaaaaaaaaaaaaaaa"}})
    read = line(
        "DescribeVpcs",
        {"VpcIds": ["vpc-0aaaaaaaaaaaaaaaa"]},
        {"Vpcs": [{"VpcId": "vpc-0aaaaaaaaaaaaaaaa"}]},
    )
    ours = "vpc-0bbbbbbbbbbbbbbbb"
    results, calls = replay((made, {"Vpc": {"VpcId": ours}}), (read, {"Vpcs": [{"VpcId": ours}]}))
    assert [one.verdict for one in results] == ["same", "same"]
    assert calls[1].parameters == {"VpcIds": [ours]}


def test_id_of_another_resource_differs() -> None:
    one, two = "vpc-0aaaaaaaaaaaaaaaa", "vpc-0bbbbbbbbbbbbbbbb"
    made = line("CreateVpc", {}, {"Vpc": {"VpcId": one}})
    subnet = line("CreateSubnet", {"VpcId": one}, {"Subnet": {"VpcId": one}})
    results, _ = replay((made, {"Vpc": {"VpcId": two}}), (subnet, {"Subnet": {"VpcId": one[:-1]}}))
    assert [item.member for item in results[1].differences] == ["Subnet.VpcId"]


def test_resource_of_before_is_unknown() -> None:
    read = line("DescribeVpcs", {"VpcIds": ["vpc-0aaaaaaaaaaaaaaaa"]}, {"Vpcs": []})
    missing = Answer(400, code="InvalidVpcID.NotFound", message="no")
    (result,), _ = replay((read, missing))
    assert result.verdict == "unknown"
    assert result.reason == "vpc-<id> was not created in the recording"


@pytest.mark.parametrize(
    ("theirs", "ours", "members"),
    [
        ({"A": 1}, {"A": 1}, []),
        ({"A": 1}, {"A": 2}, ["A"]),
        ({"A": 1}, {}, ["A"]),
        ({}, {"A": 1}, ["A"]),
        ({"A": {"B": ["x"]}}, {"A": {"B": ["y"]}}, ["A.B[0]"]),
        ({"A": ["x", "y"]}, {"A": ["y", "x"]}, []),
        ({"A": ["x"]}, {"A": ["x", "y"]}, ["A"]),
        ({"T": "2026-01-01T00:00:00+00:00"}, {"T": "2027-01-01T00:00:00+00:00"}, []),
        ({"RequestToken": "abc"}, {"RequestToken": "def"}, []),
        ({"State": "on"}, {"State": "off"}, ["State"]),
        ({"N": True}, {"N": 1}, []),
    ],
)
def test_members(theirs: Any, ours: Any, members: list[str]) -> None:
    results = list(Replay(lambda call, region: Answer(200))._members("", theirs, ours))
    assert [one.member for one in results] == members


def test_errors() -> None:
    error = {"code": "X", "message": "vpc-0aaaaaaaaaaaaaaaa is in use"}
    given = line("DescribeVpcs", {}, error=error, status=400)
    for answer, members in (
        (Answer(400, code="X", message="vpc-0bbbbbbbbbbbbbbbb is in use"), []),
        (Answer(400, code="X", message="another"), ["error message"]),
        (Answer(400, code="Y", message="vpc-0aaaaaaaaaaaaaaaa is in use"), ["error"]),
        (Answer(200, {}), ["error"]),
    ):
        (result,), _ = replay((given, answer))
        assert [one.member for one in result.differences] == members
    (result,), _ = replay((line("DescribeVpcs", {}), Answer(400, code="X", message="no")))
    assert [one.recorded for one in result.differences] == ["accepted"]


def test_only_the_last_of_equal_reads_is_compared() -> None:
    waiting = line("DescribeVpcs", {}, {"Vpcs": [{"State": "pending"}]})
    done = line("DescribeVpcs", {}, {"Vpcs": [{"State": "available"}]})
    ours = {"Vpcs": [{"State": "available"}]}
    results, calls = replay((waiting, ours), (done, ours))
    assert [one.verdict for one in results] == ["skipped", "same"]
    assert len(calls) == 1
    results, _ = replay((waiting, ours), (line("DeleteVpc", {}), {}), (done, ours))
    assert [one.verdict for one in results] == ["different", "same", "same"]


def test_secrets_and_blobs_have_a_placeholder() -> None:
    secret = {
        **line("CreateSecret", {"Name": "n", "SecretString": "<redacted>"}),
        "service": "secretsmanager",
    }
    put = {**line("PutObject", {"Bucket": "b", "Key": "k", "Body": {"bytes": 3}}), "service": "s3"}
    _, calls = replay((secret, {}), (put, {}))
    assert calls[0].parameters["SecretString"] == PLACEHOLDER
    assert calls[1].parameters["Body"] == b"000"


def test_placeholder_is_base64_and_a_key_of_s3() -> None:
    assert len(PLACEHOLDER) == 32
    assert base64.b64encode(base64.b64decode(PLACEHOLDER, validate=True)).decode() == PLACEHOLDER
    given = {"Bucket": "b", "Key": "k", "SSECustomerKey": "<redacted>", "SSECustomerKeyMD5": "m="}
    put = {**line("PutObject", given, {"SSECustomerKeyMD5": "m="}), "service": "s3"}
    results, calls = replay((put, {"SSECustomerKeyMD5": "n="}))
    assert calls[0].parameters == {"Bucket": "b", "Key": "k", "SSECustomerKey": PLACEHOLDER}
    assert results[0].verdict == "same"


def test_placeholder_within_a_text_is_no_difference() -> None:
    read = line("DescribeTags", {}, {"Tags": [{"Value": "is <redacted>!"}]})
    results, _ = replay((read, {"Tags": [{"Value": f"is {PLACEHOLDER}!"}]}))
    assert results[0].verdict == "same"


def test_template_is_compared_by_its_content() -> None:
    body = "Resources:\n  T:\n    Type: AWS::SNS::Topic\n"
    read = {**line("GetTemplate", {}, {"TemplateBody": body}), "service": "cloudformation"}
    same = {"Resources": {"T": {"Type": "AWS::SNS::Topic"}}}
    other = {"Resources": {"T": {"Type": "AWS::SQS::Queue"}}}
    assert replay((read, {"TemplateBody": same}))[0][0].verdict == "same"
    assert replay((read, {"TemplateBody": other}))[0][0].verdict == "different"


def test_what_cannot_be_replayed_is_unknown() -> None:
    results, _ = replay((line("DescribeVpcs", {}), NoAnswer("cut off")))
    assert (results[0].verdict, results[0].reason) == ("unknown", "cut off")
    results, _ = replay((line("DescribeHouses", {}), {}))
    assert results[0].reason == "the API model has no such operation"
    results = Replay(lambda call, region: Answer(200)).run(
        [{**line("X", None), "operation": None}]
    )
    assert results[0].reason == "the call could not be read"
    assert exit_code(results) == 2


def test_text() -> None:
    results, _ = replay((line("DescribeVpcs", {}, {"A": "x"}), {}))
    assert exit_code(results) == 1
    assert as_text(results).splitlines() == [
        "DIFFERENT  call 1, ec2.DescribeVpcs",
        "           A",
        "             recorded: x",
        "             local AWS: absent",
        "1 calls: 0 same, 1 different, 0 unknown, 0 skipped",
    ]
