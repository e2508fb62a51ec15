"""HTTP: persistent connections, bodies of every kind, disconnects, invalid bytes."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.parsers import create_parser
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packages.localaws.tests.cbor_clients import with_cbor
from packages.localaws.tests.parts import refusal
from packages.localaws.tests.servers import at, server

pytestmark = pytest.mark.enable_socket

STS = "Action=GetCallerIdentity&Version=2011-06-15"


class Running:
    """A server in a separate process."""

    def __init__(self, address: str, process: Any) -> None:
        self.address = address
        self.port = int(address.rsplit(":", 1)[1])
        self.process = process

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def raw(self, sent: bytes, *, seconds: float = 10) -> bytes:
        """The bytes that arrive until the server closes or stops sending."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            found = b""
            while block := connection.recv(65536):
                found += block
            return found

    def lives(self) -> None:
        assert at(self.address, "sts").get_caller_identity()["Account"]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """One server for all tests; at the end it has printed no traceback."""
    with server() as (address, process):
        found = Running(address, process)
        yield found
        found.lives()
        process.terminate()
        assert process.wait(10) == 0
        # A failure in moto is reported in one line only.
        assert all(
            line.startswith("localaws: moto") for line in process.stderr.read().splitlines()
        )


def signed(service: str, **more: str) -> dict[str, str]:
    scope = f"Credential=111122223333/20261120/us-east-1/{service}/aws4_request"
    return {
        "Authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0",
        **more,
    }


def form(service: str = "sts") -> dict[str, str]:
    return signed(service, **{"Content-Type": "application/x-www-form-urlencoded"})


class TestConnections:
    def test_connection_serves_several_calls(self, running: Running) -> None:
        connection = running.connect()
        connection.connect()
        first = connection.sock
        for _ in range(5):
            connection.request("POST", "/", STS, form())
            answer = connection.getresponse()
            assert answer.version == 11
            assert b"111122223333" in answer.read()
            assert connection.sock is first

    def test_the_id_of_a_request_is_written_as_aws_writes_it(self, running: Running) -> None:
        connection = running.connect()
        connection.request("POST", "/", STS, form())
        assert "x-amzn-RequestId" in dict(connection.getresponse().getheaders())

    def test_http_1_0_connection_is_closed(self, running: Running) -> None:
        answer = running.raw(b"GET / HTTP/1.0\r\n\r\n")
        assert b"ListAllMyBucketsResult" in answer

    def test_server_answers_expect_100_continue(self, running: Running) -> None:
        with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
            head = "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in form().items())
            connection.sendall(f"{head}Content-Length: {len(STS)}\r\n\r\n".encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 100 Continue")
            connection.sendall(STS.encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")

    def test_chunked_body_is_assembled(self, running: Running) -> None:
        connection = running.connect()
        pieces = iter([STS[:10].encode(), STS[10:].encode()])
        connection.request("POST", "/", pieces, form(), encode_chunked=True)
        assert b"111122223333" in connection.getresponse().read()

    def test_head_has_no_body_and_the_connection_stays_open(self, running: Running) -> None:
        s3 = at(running.address, "s3", "111122223333")
        s3.create_bucket(Bucket="heads")
        s3.put_object(Bucket="heads", Key="k", Body=b"0123456789")
        connection = running.connect()
        for _ in range(2):
            connection.request("HEAD", "/heads/k", headers=signed("s3"))
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"")
            assert answer.getheader("Content-Length") == "10"

    def test_keys_may_begin_with_a_slash(self, running: Running) -> None:
        s3 = at(running.address, "s3", "111122223333")
        s3.create_bucket(Bucket="slashes")
        connection = running.connect()
        host = {"Host": f"slashes.localhost:{running.port}"}
        connection.putrequest("PUT", "//a", skip_host=True)
        for name, value in {**signed("s3", **host), "Content-Length": "0"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
        assert [one["Key"] for one in s3.list_objects(Bucket="slashes")["Contents"]] == ["/a"]
        connection.request("DELETE", "/slashes//a", headers=signed("s3"))
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (204, b"")
        assert not {"content-length", "content-type"} & {name.lower() for name in answer.headers}

    @pytest.mark.parametrize("line", [b"GET http://a/ HTTP/1.1", b"CONNECT a:80 HTTP/1.1"])
    def test_requests_for_proxies_are_refused(self, running: Running, line: bytes) -> None:
        assert running.raw(line + b"\r\nHost: a\r\n\r\n").startswith(b"HTTP/1.1 40")

    def test_large_objects_and_unusual_names_are_kept(self, running: Running) -> None:
        s3 = at(running.address, "s3")
        s3.create_bucket(Bucket="large")
        body = bytes(range(256)) * 80_000  # 20 MB: buffered in a file
        s3.put_object(
            Bucket="large", Key="a/b%2Fc+d e", Body=body, Metadata={"a_b": "1", "a-c": "2"}
        )
        found = s3.get_object(Bucket="large", Key="a/b%2Fc+d e")
        assert found["Body"].read() == body
        assert found["Metadata"] == {"a_b": "1", "a-c": "2"}
        assert refusal(s3.head_object, Bucket="large", Key="a/b/c+d e")[0] == "404"

    def test_more_connections_than_initial_threads_are_served(self, tmp_path: Path) -> None:
        world = tmp_path / "world.yaml"
        world.write_text(
            "faults:\n- {service: sagemaker, operation: ListClusters, delay_ms: 1000}\n"
        )
        with server("--world", str(world)) as (address, _):
            at(address, "sagemaker").list_clusters()
            clients = [at(address, "sagemaker") for _ in range(12)]
            started = time.monotonic()
            threads = [threading.Thread(target=each.list_clusters) for each in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            assert time.monotonic() - started < 11  # twelve in sequence take twelve seconds


class TestEnd:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_server_does_not_wait_for_delayed_answers(self, number: int, tmp_path: Path) -> None:
        world = tmp_path / "world.yaml"
        world.write_text(
            "faults:\n- {service: sts, operation: GetCallerIdentity, delay_ms: 60000}\n"
        )
        with server("--world", str(world)) as (address, process):
            running = Running(address, process)
            idle = running.connect()
            idle.request("GET", "/", headers=signed("s3"))
            idle.getresponse().read()
            half = socket.create_connection(("127.0.0.1", running.port))
            half.sendall(b"POST / HTTP/1.1\r\nContent-Length: 500\r\n\r\n{")
            busy = running.connect()
            busy.request("POST", "/", STS, form())
            time.sleep(0.2)
            started = time.monotonic()
            process.send_signal(number)
            assert process.wait(50) == 0
            assert time.monotonic() - started < 40  # not the minute of the delayed answer
            assert process.stderr.read() == ""
            half.close()


class TestClientsThatGoAway:
    """The operation happens completely or not at all, and the server continues."""

    CREATE = json.dumps({"name": "n" * 20}).encode()

    def abandon(self, running: Running, sent: bytes) -> None:
        connection = socket.create_connection(("127.0.0.1", running.port), timeout=10)
        connection.sendall(sent)
        time.sleep(0.05)
        # A reset, as when a process is killed.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def request(self, bucket: str, key: str, body: bytes, *, chunked: bool = False) -> bytes:
        head = f"PUT /{bucket}/{key} HTTP/1.1\r\nHost: localhost\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in signed("s3").items())
        if chunked:
            rest = f"Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n".encode()
            return head.encode() + rest + body + b"\r\n0\r\n\r\n"
        return head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body

    @pytest.mark.parametrize("chunked", [False, True])
    @pytest.mark.parametrize("reset", [False, True])
    def test_disconnect_during_the_body_changes_nothing(
        self, running: Running, chunked: bool, reset: bool
    ) -> None:
        s3 = at(running.address, "s3", "111122223333")
        bucket = f"cut-{chunked}-{reset}".lower()
        s3.create_bucket(Bucket=bucket)
        whole = self.request(bucket, "k", b"x" * 200_000, chunked=chunked)
        for part in (len(whole) - 1, len(whole) - 10, len(whole) // 2, 500):
            if reset:
                self.abandon(running, whole[:part])
            else:
                running.raw(whole[:part])
        time.sleep(0.1)
        found = s3.list_objects_v2(Bucket=bucket)
        # A chunked body without its last line end is complete.
        assert [content["Size"] for content in found.get("Contents", ())] in ([], [200_000])
        if not chunked:
            assert found["KeyCount"] == 0
        s3.put_object(Bucket=bucket, Key="k", Body=b"1")

    def test_truncated_form_changes_nothing(self, running: Running) -> None:
        iam = at(running.address, "iam", "111122223333")
        body = "Action=CreateUser&Version=2010-05-08&UserName=half-a-name"
        head = "POST / HTTP/1.1\r\nHost: localhost\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in form("iam").items())
        sent = f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        for part in range(len(sent) - 9, len(sent)):
            running.raw(sent[:part])
        assert iam.list_users()["Users"] == []

    def test_disconnect_during_the_answer_completes_the_call(self, tmp_path: Path) -> None:
        world = tmp_path / "world.yaml"
        world.write_text("faults:\n- {service: s3, operation: PutObject, delay_ms: 300}\n")
        with server("--world", str(world)) as (address, process):
            running = Running(address, process)
            s3 = at(address, "s3", "111122223333")
            s3.create_bucket(Bucket="gone")
            for number in range(5):
                self.abandon(running, self.request("gone", f"k{number}", b"whole"))
            until = time.monotonic() + 10
            while s3.list_objects_v2(Bucket="gone")["KeyCount"] < 5:
                assert time.monotonic() < until
                time.sleep(0.05)
            assert s3.get_object(Bucket="gone", Key="k4")["Body"].read() == b"whole"
            process.terminate()
            assert process.wait(10) == 0
            assert process.stderr.read() == ""


PROTOCOLS = {
    "json-1.0": ("service-quotas", {"Content-Type": "application/x-amz-json-1.1"}),
    "json-1.1": ("sagemaker", {"Content-Type": "application/x-amz-json-1.1"}),
    "dynamodb": ("dynamodb", {"Content-Type": "application/x-amz-json-1.0"}),
    "query": ("iam", {"Content-Type": "application/x-www-form-urlencoded"}),
    "ec2": ("ec2", {"Content-Type": "application/x-www-form-urlencoded"}),
    "rest-json": ("eks", {"Content-Type": "application/json"}),
    "lambda": ("lambda", {"Content-Type": "application/json"}),
    "rest-xml": ("s3", {"Content-Type": "application/xml"}),
    "cbor": (
        "monitoring",
        {"Content-Type": "application/cbor", "smithy-protocol": "rpc-v2-cbor"},
    ),
    "nobody": ("no-such-service", {"Content-Type": "text/plain"}),
}
TARGETS = ["SageMaker.CreateCluster", "SageMaker.", "", "x", "DynamoDB_20120810.PutItem", "a.b.c"]
PATHS = [
    "/",
    "/clusters",
    "/clusters/x/addons",
    "/bucket",
    "/bucket?acl",
    "/bucket?lifecycle",
    "/bucket/key?uploads",
    "/2015-03-31/functions",
    "/service/GraniteServiceVersion20100801/operation/PutMetricData",
    "/%00",
    "/%ff%fe",
    "/..%2f",
]
PIECES = [
    b"Action=CreateUser&UserName=",
    b"Action=RunInstances&MinCount=x&Tag.1.",
    b"Action=",
    b"Action=DescribeInstances&Filter.1.Value.0=&Filter.x=",
    b'{"ClusterName": ',
    b"[" * 3000,
    b'{"a":' * 50,
    b"null",
    b"<CreateBucketConfiguration><LocationConstraint>",
    b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    b"\xbf\x61a\x61b\xff",
]
bodies = st.one_of(
    st.binary(max_size=200),
    st.sampled_from(PIECES),
    st.tuples(st.sampled_from(PIECES), st.binary(max_size=20)).map(b"".join),
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_arbitrary_bytes_get_an_answer_without_retries(running: Running, protocol: str) -> None:
    service, headers = PROTOCOLS[protocol]
    connection = running.connect()

    @settings(
        max_examples=40,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        method=st.sampled_from(["POST", "GET", "PUT", "DELETE", "PATCH"]),
        path=st.sampled_from(PATHS),
        target=st.sampled_from(TARGETS) | st.none(),
        body=bodies,
    )
    def attack(method: str, path: str, target: str | None, body: bytes) -> None:
        sent = signed(service, **headers)
        if target is not None:
            sent["X-Amz-Target"] = target
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        found = answer.read()
        assert answer.status < 500 or answer.status == 501, (method, path, target, body, found)
        assert b"<!doctype html" not in found.lower()

    attack()


@pytest.mark.parametrize(
    "authorization",
    ["x", "", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=a/b/c", "Basic x y"],
)
def test_unknown_authorization_scheme_is_reported(running: Running, authorization: str) -> None:
    connection = running.connect()
    headers = {"Authorization": authorization, "Content-Type": "application/x-amz-json-1.1"}
    connection.request("POST", "/", b"{}", headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 400 if authorization else answer.status < 500


@given(sent=st.binary(min_size=1, max_size=300))
@settings(
    max_examples=40,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_invalid_http_is_refused(running: Running, sent: bytes) -> None:
    answer = running.raw(sent)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 ")


def test_boto3_selects_a_supported_protocol(running: Running) -> None:
    metrics = at(running.address, "cloudwatch").list_metrics()["Metrics"]
    assert isinstance(metrics, list)


def test_boto3_with_cbor_gets_the_answer_of_moto_and_of_ours(running: Running) -> None:
    cloudwatch = with_cbor(at(running.address, "cloudwatch"))
    cloudwatch.put_dashboard(DashboardName="d", DashboardBody='{"widgets": []}')  # moto's
    assert cloudwatch.get_dashboard(DashboardName="d")["DashboardName"] == "d"
    cloudwatch.put_metric_alarm(
        AlarmName="a",
        Namespace="N",
        MetricName="m",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1.5,
        ComparisonOperator="GreaterThanThreshold",
    )
    assert cloudwatch.describe_alarms()["MetricAlarms"][0]["Threshold"] == 1.5


def test_unknown_service_is_refused_in_cbor(running: Running) -> None:
    connection = running.connect()
    headers = signed("no-such-service", **PROTOCOLS["cbor"][1])
    connection.request("POST", "/service/No/operation/List", b"\xa0", headers)
    answer = connection.getresponse()
    found = answer.read()
    assert answer.status == 400
    parsed = create_parser("smithy-rpc-v2-cbor").parse(
        {"body": found, "headers": {}, "status_code": 400}, None
    )
    assert parsed["Error"]["Code"] == "UnknownOperationException"


def test_too_large_body_is_refused(running: Running) -> None:
    sagemaker = at(running.address, "sagemaker", parameter_validation=False)
    sent: list[int] = []
    sagemaker.meta.events.register("before-send.sagemaker.*", lambda **_: sent.append(1) and None)
    code, _ = refusal(sagemaker.create_cluster, ClusterName="x" * (101 * 1024 * 1024))
    assert code == "RequestEntityTooLargeException"
    assert len(sent) == 1


class TestHalfOpenConnections:
    @pytest.mark.parametrize(
        "sent",
        [b"", b"POST / HT", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"],
        ids=["nothing", "part of the header", "part of the body"],
    )
    def test_other_clients_are_served(self, running: Running, sent: bytes) -> None:
        half_open = []
        for _ in range(400):
            connection = socket.create_connection(("127.0.0.1", running.port), timeout=10)
            connection.sendall(sent)
            half_open.append(connection)
        started = time.monotonic()
        running.lives()
        assert time.monotonic() - started < 10
        for connection in half_open:
            connection.close()

    def test_request_that_arrives_slowly_is_answered(self, running: Running) -> None:
        head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in form().items())
        head += f"Content-Length: {len(STS)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for part in ("", head[:5], head[5:60], head[60:], STS[:9], STS[9:]):
                connection.sendall(part.encode())
                time.sleep(0.05)
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
