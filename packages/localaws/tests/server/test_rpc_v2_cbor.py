"""Tests of server.rpc_v2_cbor."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore import xform_name
from botocore.awsrequest import HeadersDict
from botocore.exceptions import ClientError
from botocore.parsers import create_parser

from clusterwright_localaws import local_aws
from clusterwright_localaws.api_page import moto_operations, own_operations
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server import cbor, rpc_v2_cbor, wire
from clusterwright_localaws.server.recording import Recorder
from packages.localaws.tests.cbor_clients import with_cbor
from packages.localaws.tests.http_requests import request
from packages.localaws.tests.parts import REGION, client

CLOUDWATCH = "/service/GraniteServiceVersion20100801/operation/"
ALARM = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:a"
START, END = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
METRIC = {"Namespace": "N", "MetricName": "m"}
RULE = '{"Schema": {"Name": "CloudWatchLogRule", "Version": 1}}'
INSIGHT = {"RuleName": "r", "RuleState": "ENABLED", "RuleDefinition": RULE}

# Every operation of CloudWatch that the local AWS has, in an order in which each has something to
# answer, and refusals.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("PutMetricData", {"Namespace": "N", "MetricData": [
        {"MetricName": "m", "Value": 1.5, "Timestamp": datetime(2026, 1, 1, 1, tzinfo=UTC),
         "Unit": "Count", "StorageResolution": 60, "Dimensions": [{"Name": "d", "Value": "ü"}]},
        {"MetricName": "m", "Values": [2.0, 1e-9], "Counts": [1.0, 3.0],
         "Timestamp": datetime(2026, 1, 1, 1, tzinfo=UTC)},
    ]}),
    ("PutMetricData", {"Namespace": "N", "MetricData": [{"MetricName": "m", "Value": math.nan}]}),
    ("ListMetrics", {"Namespace": "N"}),
    ("GetMetricStatistics", {**METRIC, "StartTime": START, "EndTime": END, "Period": 3600,
                             "Statistics": ["Sum", "Average"]}),
    ("GetMetricStatistics", {**METRIC, "StartTime": END, "EndTime": START, "Period": 3600,
                             "Statistics": ["Sum"]}),
    ("GetMetricData", {"StartTime": START, "EndTime": END, "MetricDataQueries": [
        {"Id": "a", "MetricStat": {"Metric": METRIC, "Period": 3600, "Stat": "Sum"}},
        {"Id": "b", "Expression": "a * 2", "ReturnData": True},
    ]}),
    ("PutMetricAlarm", {**METRIC, "AlarmName": "a", "Statistic": "Sum", "Period": 60,
                        "EvaluationPeriods": 1, "Threshold": 0.5,
                        "ComparisonOperator": "GreaterThanThreshold",
                        "Tags": [{"Key": "k", "Value": "v"}]}),
    ("PutCompositeAlarm", {"AlarmName": "c", "AlarmRule": "ALARM(a)"}),
    ("DescribeAlarms", {}),
    ("DescribeAlarms", {"AlarmNames": ["a"], "AlarmTypes": ["MetricAlarm"]}),
    ("DescribeAlarmsForMetric", METRIC),
    ("DisableAlarmActions", {"AlarmNames": ["a"]}),
    ("EnableAlarmActions", {"AlarmNames": ["a"]}),
    ("SetAlarmState", {"AlarmName": "a", "StateValue": "ALARM", "StateReason": "r",
                       "StateReasonData": '{"a": 1}'}),
    ("SetAlarmState", {"AlarmName": "none", "StateValue": "ALARM", "StateReason": "r"}),
    ("DescribeAlarmHistory", {"AlarmName": "a"}),
    ("ListTagsForResource", {"ResourceARN": ALARM}),
    ("TagResource", {"ResourceARN": ALARM, "Tags": [{"Key": "l", "Value": "w"}]}),
    ("UntagResource", {"ResourceARN": ALARM, "TagKeys": ["k"]}),
    ("ListTagsForResource", {"ResourceARN": ALARM}),
    ("ListTagsForResource", {"ResourceARN": f"{ALARM}-none"}),
    ("PutDashboard", {"DashboardName": "d", "DashboardBody": '{"widgets": []}'}),
    ("GetDashboard", {"DashboardName": "d"}),
    ("GetDashboard", {"DashboardName": "none"}),
    ("ListDashboards", {}),
    ("DeleteDashboards", {"DashboardNames": ["d"]}),
    ("PutInsightRule", INSIGHT),
    ("DescribeInsightRules", {}),
    ("DisableInsightRules", {"RuleNames": ["r"]}),
    ("EnableInsightRules", {"RuleNames": ["r", "none"]}),
    ("DeleteInsightRules", {"RuleNames": ["r"]}),
    ("DeleteAlarms", {"AlarmNames": ["c", "a"]}),
    ("DescribeAlarms", {}),
    ("GetMetricWidgetImage", {"MetricWidget": "{}"}),
]  # fmt: skip


def new_client(service: str) -> Any:
    session = boto3.Session(
        aws_access_key_id="testing", aws_secret_access_key="testing", region_name=REGION
    )
    return session.client(service)


def comparable(value: Any) -> Any:
    """Without the time of the call."""
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, datetime):
        return value if value.tzinfo and value < END else value.tzinfo is not None
    return value


def answers(cloudwatch: Any) -> list[Any]:
    found = []
    for operation, parameters in CALLS:
        try:
            answer = getattr(cloudwatch, xform_name(operation))(**parameters)
        except ClientError as error:
            answer = {"refused": type(error).__name__, **error.response}
        status = answer.pop("ResponseMetadata")["HTTPStatusCode"]
        found.append((operation, status, comparable(answer)))
    return found


def test_every_operation_of_cloudwatch_answers_as_in_json() -> None:
    own = set(own_operations()["cloudwatch"])
    assert {operation for operation, _ in CALLS} >= own | moto_operations("cloudwatch")
    with local_aws():
        expected = answers(client("cloudwatch"))
    with local_aws():
        found = answers(with_cbor(new_client("cloudwatch")))
    assert found == expected


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [
        ("resourcegroupstaggingapi", "get_resources", {"ResourcesPerPage": 1}),
        ("servicediscovery", "create_http_namespace", {"Name": "n", "CreatorRequestId": "r"}),
        ("servicediscovery", "get_namespace", {"Id": "ns-none"}),
        ("codebuild", "list_projects", {}),
        ("workspaces", "describe_tags", {"ResourceId": "none"}),
        ("shield", "list_protections", {}),
        ("textract", "detect_document_text", {"Document": {"Bytes": b"\x00\xff"}}),
        ("comprehend", "detect_sentiment", {"Text": "t", "LanguageCode": "en"}),
        # an operation without output, and one that nobody has
        ("workspaces", "delete_tags", {"ResourceId": "none", "TagKeys": ["k"]}),
        ("directconnect", "describe_locations", {}),
    ],
)
@pytest.mark.usefixtures("aws")
def test_other_services_answer_as_in_json(
    service: str, operation: str, parameters: dict[str, Any]
) -> None:
    def answer(of: Any) -> Any:
        try:
            found = getattr(of, operation)(**parameters)
        except ClientError as error:
            found = error.response
        status = found.pop("ResponseMetadata")["HTTPStatusCode"]
        return status, {key: item for key, item in found.items() if key != "OperationId"}

    expected = answer(client(service))
    assert answer(with_cbor(new_client(service))) == expected


def ask(body: bytes, operation: str = "ListMetrics", **headers: str) -> Any:
    sent = request(
        path=f"{CLOUDWATCH}{operation}",
        body=body,
        content_type="application/cbor",
        Smithy_Protocol="rpc-v2-cbor",
        **headers,
    )
    return rpc_v2_cbor.as_json("cloudwatch", sent)


class TestRequests:
    def test_json_has_the_members_of_the_model(self) -> None:
        datum = {
            "MetricName": "m",
            "Timestamp": cbor.Time(1.0004),
            "Value": 1,
            "Values": [math.inf, 0.5],
            "Unknown": {"deep": [b"x"]},
            "Unit": None,
            "StorageResolution": cbor.UNDEFINED,
        }
        found = ask(cbor.encode({"Namespace": "N", "MetricData": [datum]}), "PutMetricData")
        assert json.loads(found.get_data()) == {
            "Namespace": "N",
            "MetricData": [
                {
                    "MetricName": "m",
                    "Timestamp": 1.0,
                    "Value": 1.0,
                    "Values": ["Infinity", 0.5],
                }
            ],
        }
        assert wire.operation_of("cloudwatch", found) == ("PutMetricData", {})
        assert wire.protocol_of("cloudwatch", found) == "json"

    def test_a_prefix_of_the_path_and_of_the_service_is_ignored(self) -> None:
        sent = request(
            path="/v1/service/com.example.GraniteServiceVersion20100801/operation/ListMetrics",
            Smithy_Protocol="rpc-v2-cbor",
        )
        found = rpc_v2_cbor.as_json("cloudwatch", sent)
        assert (found.path, found.get_data()) == ("/", b"{}")

    def test_compressed_body(self) -> None:
        body = gzip.compress(cbor.encode({"Namespace": "N"}))
        found = ask(body, Content_Encoding="gzip")
        assert json.loads(found.get_data()) == {"Namespace": "N"}

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({"Namespace": 1}, "Namespace is not a string"),
            ({"Namespace": b"N"}, "Namespace is not a string"),
            ({"Dimensions": {}}, "Dimensions is not a list"),
            ({"Dimensions": ["d"]}, "Dimensions is not a structure"),
            ({"IncludeLinkedAccounts": 1}, "IncludeLinkedAccounts is not a boolean"),
            ([], "the input is not a structure"),
        ],
    )
    def test_values_of_other_types_are_refused(self, value: Any, message: str) -> None:
        with pytest.raises(AwsError, match=message) as caught:
            ask(cbor.encode(value))
        assert caught.value.code == "SerializationException"

    @pytest.mark.parametrize("value", [1, "2026-01-01", True, cbor.Time(math.inf)])
    def test_times_without_tag_are_refused(self, value: Any) -> None:
        with pytest.raises(AwsError, match="StartDate is not a timestamp"):
            ask(cbor.encode({"StartDate": value}), "DescribeAlarmHistory")

    @pytest.mark.parametrize(
        ("value", "message"),
        [(True, "is not a integer"), (1.5, "is not a integer"), ("1", "is not a integer")],
    )
    def test_integers(self, value: Any, message: str) -> None:
        with pytest.raises(AwsError, match=message):
            ask(cbor.encode({"MaxRecords": value}), "DescribeAlarms")

    def test_rules_of_the_protocol(self) -> None:
        with pytest.raises(AwsError, match="must not have the header X-Amz-Target"):
            ask(b"\xa0", X_Amz_Target="x.ListMetrics")
        for method, path in (("GET", f"{CLOUDWATCH}ListMetrics"), ("POST", "/operation/X")):
            sent = request(method, path, Smithy_Protocol="rpc-v2-cbor")
            with pytest.raises(AwsError, match="is a POST to /service/SERVICE/operation"):
                rpc_v2_cbor.as_json("cloudwatch", sent)
        sent = request(path="/service/Other/operation/ListMetrics", Smithy_Protocol="rpc-v2-cbor")
        with pytest.raises(AwsError, match="is GraniteServiceVersion20100801, not Other"):
            rpc_v2_cbor.as_json("cloudwatch", sent)
        with pytest.raises(AwsError, match="sagemaker does not have Smithy's RPC v2 CBOR"):
            rpc_v2_cbor.as_json("sagemaker", sent)

    def test_large_bodies_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rpc_v2_cbor, "MAX_BYTES", 100)
        body = gzip.compress(b"\0" * 101)
        for sent, headers in ((b"\0" * 101, {}), (body, {"Content_Encoding": "gzip"})):
            with pytest.raises(AwsError, match="at most 100 bytes") as caught:
                ask(sent, **headers)
            assert caught.value.status == 413


class TestErrors:
    def parsed(self, answered: wire.Answer) -> Any:
        status, headers, body = answered
        given = {"body": body, "headers": HeadersDict(headers), "status_code": status}
        return create_parser(wire.CBOR_PROTOCOL).parse(given, None)

    def test_an_error_of_a_service_with_the_query_protocol_has_its_code(self) -> None:
        asked = request(X_Amz_Target="x.GetDashboard", content_type="application/x-amz-json-1.0")
        error = AwsError("DashboardNotFoundError", "no", 404)
        answered = wire.answer("cloudwatch", "GetDashboard", asked, error)
        found = rpc_v2_cbor.from_json("cloudwatch", "GetDashboard", answered)
        assert found[0] == 404
        assert found[1]["smithy-protocol"] == "rpc-v2-cbor"
        assert found[1]["x-amzn-query-error"] == "ResourceNotFound;Sender"
        assert not any(name.lower() == "x-amzn-errortype" for name in found[1])
        assert self.parsed(found)["Error"] == {
            "Message": "no",
            "Code": "ResourceNotFound",
            "QueryErrorCode": "DashboardNotFoundError",
            "Type": "Sender",
        }

    def test_members_of_an_error(self) -> None:
        body = json.dumps(
            {
                "__type": "InvalidParameterInput",
                "Message": "m",
                "dashboardValidationMessages": [{"DataPath": "/a", "Message": "b"}],
            }
        ).replace("InvalidParameterInput", "DashboardInvalidInputError")
        _, _, found = rpc_v2_cbor.from_json("cloudwatch", "PutDashboard", (400, {}, body))
        assert cbor.decode(bytes(found)) == {  # type: ignore[arg-type]
            "__type": "DashboardInvalidInputError",
            "dashboardValidationMessages": [{"DataPath": "/a", "Message": "b"}],
            "message": "m",
        }

    def test_an_answer_that_is_not_json_is_an_internal_failure(self) -> None:
        found = rpc_v2_cbor.from_json("cloudwatch", "ListMetrics", (500, {}, "<html>"))
        assert found[0] == 501
        assert self.parsed(found)["Error"]["Code"] == "InternalFailure"

    def test_an_operation_without_output_has_no_body(self) -> None:
        status, headers, body = rpc_v2_cbor.from_json(
            "cloudwatch", "DeleteAlarms", (200, {"Content-Type": "x"}, "")
        )
        assert (status, headers, body) == (200, {"smithy-protocol": "rpc-v2-cbor"}, b"")


@contextmanager
def recorded(runtime: Runtime, path: Path) -> Iterator[list[dict[str, Any]]]:
    lines: list[dict[str, Any]] = []
    runtime.recorder = Recorder(path)
    try:
        yield lines
    finally:
        runtime.recorder.close()
        runtime.recorder = None
        lines += [json.loads(line) for line in path.read_text().splitlines()]


def test_calls_are_recorded(aws: Runtime, tmp_path: Path) -> None:
    cloudwatch = with_cbor(new_client("cloudwatch"))
    with recorded(aws, tmp_path / "calls") as lines:
        cloudwatch.list_metrics(Namespace="N")
        with pytest.raises(ClientError):
            cloudwatch.get_dashboard(DashboardName="none")
        cloudwatch.meta.events.register_first("before-send.*", _spoiled)
        with pytest.raises(ClientError, match="SerializationException"):
            cloudwatch.list_metrics()
    assert [(one["operation"], one["status"], one["error"]) for one in lines] == [
        ("ListMetrics", 200, None),
        ("GetDashboard", 404, "ResourceNotFound"),
        ("ListMetrics", 400, "SerializationException"),
    ]
    assert lines[0]["parameters"] == {"Namespace": "N"}


def _spoiled(request: Any, **_: Any) -> None:
    request.body = b"\xff"


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("service", "operation", "kind"),
    [
        ("cloudwatch", "list_metrics", "application/cbor"),
        ("kinesis", "list_streams", "application/x-amz-cbor-1.1"),
        ("sns", "list_topics", "Application/CBOR; a=b"),
    ],
)
def test_cbor_without_its_header_is_refused_by_its_name(
    service: str, operation: str, kind: str
) -> None:
    found = new_client(service)

    def send(request: Any, **_: Any) -> None:
        request.headers["Content-Type"] = kind
        request.body = b"\xa0"

    found.meta.events.register_first("before-send.*", send)
    with pytest.raises(ClientError) as caught:
        getattr(found, operation)()
    error = caught.value.response["Error"]
    assert error["Code"] == "UnsupportedProtocolException"
    named = kind.partition(";")[0].lower()
    without = "is not read without the header smithy-protocol: rpc-v2-cbor"
    assert error["Message"] == f"{named} {without}"
