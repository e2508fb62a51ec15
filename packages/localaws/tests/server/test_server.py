"""`clusterwright localaws` as a process: the ready line, the port, the shutdown, and real
clients.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import socket
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.sns.models import sns_backends

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.server.server import serving
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.parts import REGION, refusal
from packages.localaws.tests.servers import at, run, server

pytestmark = pytest.mark.enable_socket


class TestLife:
    def test_process_has_its_former_local_aws_after_serving(self) -> None:
        before = runtime()
        with serving(World()) as served:
            assert runtime() is served.runtime
        assert runtime() is before
        assert not served.runtime.active

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    @pytest.mark.parametrize("module", ["clusterwright", "clusterwright_localaws"])
    def test_signal_stops_the_server_with_exit_0(self, number: int, module: str) -> None:
        with server(module=module) as (address, process):
            at(address, "sts").get_caller_identity()
            process.send_signal(number)
            assert process.wait(10) == 0
            assert process.stdout.read() == ""  # one line, and no other
            assert "Traceback" not in process.stderr.read()

    def test_sighup_reads_the_injections_of_the_world_again(self, tmp_path: Path) -> None:
        world = tmp_path / "world.yaml"
        world.write_text("extends: generous\n")
        with server("--world", str(world)) as (address, process):
            ec2 = at(address, "ec2")
            assert ec2.describe_vpcs()["Vpcs"][0]["State"] == "available"
            world.write_text(
                "extends: generous\n"
                "overrides:\n"
                "  - {service: ec2, operation: DescribeVpcs, each: Vpcs, set: {State: pending}}\n"
            )
            process.send_signal(signal.SIGHUP)
            assert "were read again" in process.stderr.readline()
            assert ec2.describe_vpcs()["Vpcs"][0]["State"] == "pending"
            world.write_text("overrides: 5\n")
            process.send_signal(signal.SIGHUP)
            assert "the world was not read again" in process.stderr.readline()
            assert ec2.describe_vpcs()["Vpcs"][0]["State"] == "pending"

    def test_port_is_released_at_exit(self) -> None:
        with server() as (address, process):
            port = address.rsplit(":", 1)[1]
            at(address, "sts").get_caller_identity()
            process.terminate()
            assert process.wait(10) == 0
        with server("--port", port) as (again, _):
            assert again == address

    def test_a_port_in_use_is_reported_with_a_hint(self, address: str) -> None:
        port = address.rsplit(":", 1)[1]
        done = run("--port", port)
        assert done.returncode == 3
        assert done.stdout == ""
        assert f"port {port} is in use" in done.stderr
        assert "--port 0" in done.stderr
        assert "Traceback" not in done.stderr

    def test_server_listens_on_the_loopback_only(self, address: str) -> None:
        port = int(address.rsplit(":", 1)[1])
        rows = [
            line.split()
            for table in ("/proc/net/tcp", "/proc/net/tcp6")
            if Path(table).exists()
            for line in Path(table).read_text().splitlines()[1:]
        ]
        listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f"{port:04X}")}
        loopbacks = {"0100007F", "00000000000000000000000001000000"}
        assert listening
        assert {entry.split(":")[0] for entry in listening} <= loopbacks

    def test_ipv4_and_ipv6_are_served(self, address: str) -> None:
        port = address.rsplit(":", 1)[1]
        hosts = ["127.0.0.1", "localhost"]
        try:
            with socket.socket(socket.AF_INET6) as probe:
                probe.bind(("::1", 0))
            hosts.append("[::1]")
        except OSError:
            pass
        for host in hosts:
            assert at(f"http://{host}:{port}", "sts").get_caller_identity()["Account"]

    def test_a_client_that_disconnects_does_not_affect_the_server(self, address: str) -> None:
        port = int(address.rsplit(":", 1)[1])
        for sent in (b"", b"POST / HTTP/1.1\r\nContent-Length: 500\r\n\r\n{", b"\x16\x03\x01 TLS"):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(sent)
        assert at(address, "sts").get_caller_identity()["Account"] == "123456789012"


class TestOptions:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--account", "12345"], "--account '12345' is not 12 digits"),
            (["--world", "generos"], "did you mean `generous`?"),
            (["--port", "99999"], "99999"),
            (["--latency-ms", "-1"], "-1"),
        ],
    )
    def test_invalid_permission_entries_are_reported(
        self, arguments: list[str], words: str
    ) -> None:
        done = run(*arguments)
        assert done.returncode == 3
        assert done.stdout == ""
        assert words in done.stderr
        assert "Traceback" not in done.stderr

    def test_an_invalid_world_file_is_reported_with_line_and_hint(self, tmp_path: Path) -> None:
        world = tmp_path / "world.yaml"
        world.write_text("extends: generous\nquota: {}\n")
        done = run("--world", str(world))
        assert done.returncode == 3
        assert f"{world}:2:1" in done.stderr
        assert "did you mean `quotas`?" in done.stderr

    def test_account_world_and_latency_options_are_applied(self, tmp_path: Path) -> None:
        world = tmp_path / "world.yaml"
        world.write_text("extends: generous\nquotas: {sagemaker/L-8762A75F: 8}\n")
        with server("--world", str(world), "--account", "444455556666", "--latency-ms", "120") as (
            address,
            _,
        ):
            assert at(address, "sts").get_caller_identity()["Account"] == "444455556666"
            quotas = at(address, "service-quotas")
            quota = quotas.get_service_quota(ServiceCode="sagemaker", QuotaCode="L-8762A75F")
            assert quota["Quota"]["Value"] == 8.0
            started = time.monotonic()
            quotas.list_services()
            assert time.monotonic() - started >= 0.12

    def test_servers_are_isolated(self, address: str) -> None:
        with server("--world", "new-account") as (other, _):
            at(address, "s3").create_bucket(Bucket="only-here")
            assert at(other, "s3").list_buckets()["Buckets"] == []
            counts = [
                len(
                    at(each, "service-quotas").list_service_quotas(ServiceCode="sagemaker")[
                        "Quotas"
                    ]
                )
                for each in (address, other)
            ]
        assert counts[0] != counts[1]


class TestClients:
    def test_aws_endpoint_url_is_sufficient(
        self, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
        sts = boto3.Session().client("sts", REGION)  # no credentials of other tests
        assert sts.get_caller_identity()["Account"] == "111122223333"

    def test_cluster_is_created_over_http(self, address: str) -> None:
        key = "222233334444"
        ec2, iam = at(address, "ec2", key), at(address, "iam", key)
        s3, sagemaker = at(address, "s3", key), at(address, "sagemaker", key)
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.0.0.0/17", AvailabilityZoneId="use1-az6"
        )["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": "sagemaker.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
        trust = {"Version": "2012-10-17", "Statement": [statement]}
        role = iam.create_role(RoleName="n", AssumeRolePolicyDocument=json.dumps(trust))["Role"]
        s3.create_bucket(Bucket="sagemaker-scripts")
        s3.put_object(Bucket="sagemaker-scripts", Key="base/on.sh", Body=b"#!/bin/sh\n")

        def instances(name: str, kind: str, count: int, role_name: str) -> dict[str, Any]:
            return {
                "InstanceGroupName": name,
                "InstanceType": kind,
                "InstanceCount": count,
                "ExecutionRole": role["Arn"],
                "LifeCycleConfig": {
                    "SourceS3Uri": "s3://sagemaker-scripts/base",
                    "OnCreate": "on.sh",
                },
                "SlurmConfig": {"NodeType": role_name},
            }

        sagemaker.create_cluster(
            ClusterName="over-http",
            InstanceGroups=[
                instances("head", "ml.m5.xlarge", 1, "Controller"),
                instances("workers", "ml.c5.xlarge", 250, "Compute"),
            ],
            VpcConfig={"Subnets": [subnet], "SecurityGroupIds": [group]},
            Orchestrator={"Slurm": {}},
        )
        pages = sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName="over-http")
        found = [node["InstanceId"] for page in pages for node in page["ClusterNodeSummaries"]]
        assert len(found) == len(set(found)) == 251
        assert sagemaker.describe_cluster(ClusterName="over-http")["ClusterStatus"] == "InService"
        pages = sagemaker.get_paginator("list_clusters").paginate()
        assert [c["ClusterName"] for page in pages for c in page["ClusterSummaries"]] == [
            "over-http"
        ]

    def test_objects_are_returned_unchanged_over_http(self, address: str) -> None:
        s3 = at(address, "s3")
        s3.create_bucket(Bucket="bytes")
        body = os.urandom(300_000)
        s3.put_object(Bucket="bytes", Key="a/b c+d", Body=body)
        assert s3.get_object(Bucket="bytes", Key="a/b c+d")["Body"].read() == body
        assert s3.head_object(Bucket="bytes", Key="a/b c+d")["ContentLength"] == len(body)
        link = s3.generate_presigned_url("get_object", {"Bucket": "bytes", "Key": "a/b c+d"})
        with urllib.request.urlopen(link, timeout=10) as answer:
            assert answer.read() == body

    def test_errors_have_the_format_of_the_protocol(self, address: str) -> None:
        found, message = refusal(at(address, "fsx").describe_storage_virtual_machines)
        assert (found, "DescribeStorageVirtualMachines" in message) == (
            "UnknownOperationException",
            True,
        )
        found, _ = refusal(at(address, "sagemaker").describe_cluster, ClusterName="none")
        assert found == "ResourceNotFound"

    def test_unknown_service_is_refused_without_retries(self, address: str) -> None:
        client = at(address, "braket")
        sent: list[int] = []
        client.meta.events.register("before-send.braket.*", lambda **_: sent.append(1) and None)
        found, message = refusal(client.search_devices, filters=[])
        assert found == "UnknownOperationException"
        assert "braket" in message
        assert len(sent) == 1

    def test_unsigned_browser_request_reaches_s3(self, address: str) -> None:
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert b"ListAllMyBucketsResult" in answer.read()

    def test_concurrent_callers_are_served(self, address: str) -> None:
        accounts = [f"{number:012d}" for number in range(900000000000, 900000000012)]

        def use(account: str) -> tuple[str, int]:
            s3 = at(address, "s3", account)
            for number in range(5):
                s3.create_bucket(Bucket=f"b-{account}-{number}")
            caller = at(address, "sts", account).get_caller_identity()["Account"]
            return caller, len(s3.list_buckets()["Buckets"])

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            assert list(pool.map(use, accounts)) == [(account, 5) for account in accounts]


def test_an_answer_that_was_changed_has_the_length_of_its_body(address: str) -> None:
    """EC2's answers get the client token after moto has stated their length."""
    ec2 = at(address, "ec2")
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    first, again = (ec2.create_route_table(VpcId=vpc_id, ClientToken="one") for _ in range(2))
    assert (first["ClientToken"], first["RouteTable"]) == ("one", again["RouteTable"])
    body = Path(__file__).read_bytes()
    s3 = at(address, "s3")
    s3.create_bucket(Bucket="lengths")
    s3.put_object(Bucket="lengths", Key="one", Body=body)
    assert s3.head_object(Bucket="lengths", Key="one")["ContentLength"] == len(body)


def test_first_calls_of_all_services_can_be_concurrent() -> None:
    """While a new server still imports modules in its threads."""
    calls = [
        ("s3", "list_buckets", {}),
        ("sts", "get_caller_identity", {}),
        ("iam", "list_roles", {}),
        ("ec2", "describe_vpcs", {}),
        ("sagemaker", "list_clusters", {}),
        ("fsx", "describe_file_systems", {}),
        ("eks", "list_clusters", {}),
        ("cloudformation", "describe_stacks", {}),
        ("ssm", "describe_parameters", {}),
        ("service-quotas", "list_services", {}),
        ("grafana", "list_workspaces", {}),
        ("rds", "describe_db_clusters", {}),
    ]
    with server() as (found, process):
        once = {"retries": {"total_max_attempts": 1}}
        clients = {service: at(found, service, **once) for service, _, _ in calls}
        together = threading.Barrier(2 * len(calls))

        def make(call: tuple[str, str, dict[str, Any]]) -> int:
            service, method, parameters = call
            together.wait(60)
            answer = getattr(clients[service], method)(**parameters)
            return int(answer["ResponseMetadata"]["HTTPStatusCode"])

        with concurrent.futures.ThreadPoolExecutor(2 * len(calls)) as pool:
            assert set(pool.map(make, calls * 2)) == {200}
        process.terminate()
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_urls_in_messages_of_sns_are_visited_without_a_signature() -> None:
    with serving(World()) as found:
        for region in ("us-east-1", "eu-west-1"):
            sns = boto3.client(
                "sns",
                region,
                endpoint_url=found.url,
                aws_access_key_id="testing",
                aws_secret_access_key="testing",
            )
            arn = sns.create_topic(Name="t")["TopicArn"]
            request = {"TopicArn": arn, "Protocol": "email", "Endpoint": "a@example.com"}
            made = sns.subscribe(**request, ReturnSubscriptionArn=True)["SubscriptionArn"]
            with found.runtime.lock:
                token = sns_backends["123456789012"][region].subscriptions[made].token
            for action in (
                f"ConfirmSubscription&TopicArn={arn}&Token={token}",
                f"Unsubscribe&SubscriptionArn={made}",
            ):
                with urllib.request.urlopen(f"{found.url}/?Action={action}") as answer:
                    assert action.split("&", maxsplit=1)[0] in answer.read().decode()
            assert sns.list_subscriptions()["Subscriptions"] == []
