"""Tests of server.recording."""

from __future__ import annotations

import json
import signal
import stat
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server.recording import Recorder, without_secrets
from packages.localaws.tests.parts import client, deploy, refusal
from packages.localaws.tests.servers import at, run, server

SECRET = "correct-horse-battery"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestLines:
    @pytest.fixture
    def recorded(self, aws: Runtime, tmp_path: Path) -> Path:
        path = tmp_path / "calls.jsonl"
        aws.recorder = Recorder(path)
        return path

    def test_call_and_error_are_recorded(self, recorded: Path) -> None:
        client("ec2").describe_vpcs(MaxResults=5)
        refusal(client("sagemaker").describe_cluster, ClusterName="none")
        first, second = lines(recorded)
        assert first["service"] == "ec2"
        assert first["operation"] == "DescribeVpcs"
        assert first["parameters"] == {"MaxResults": 5}
        assert (first["status"], first["error"], first["source"]) == (200, None, "client")
        assert (first["account"], first["region"]) == ("123456789012", "us-east-1")
        assert first["duration_ms"] >= 0
        assert second["parameters"] == {"ClusterName": "none"}
        assert (second["status"], second["error"]) == (400, "ResourceNotFound")

    def test_calls_of_a_stack_have_their_source(self, recorded: Path) -> None:
        deploy("s", {"Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "t"}}})
        found = lines(recorded)
        assert ("CreateTopic", "cloudformation") in {(x["operation"], x["source"]) for x in found}
        assert {x["source"] for x in found if x["service"] == "cloudformation"} == {"client"}

    def test_object_is_recorded_as_its_size(self, recorded: Path) -> None:
        s3 = client("s3")
        s3.create_bucket(Bucket="bytes-1")
        s3.put_object(Bucket="bytes-1", Key="k", Body=SECRET.encode(), Metadata={"a": "b"})
        put = lines(recorded)[-1]
        assert put["operation"] == "PutObject"
        assert put["parameters"]["Key"] == "k"
        assert put["parameters"]["Body"]["bytes"] >= len(SECRET)
        assert SECRET not in recorded.read_text()

    def test_record_contains_no_secret(self, recorded: Path) -> None:
        made = client("secretsmanager").create_secret(Name="s", SecretString=SECRET)
        client("secretsmanager").put_secret_value(
            SecretId=made["ARN"], SecretBinary=b"x" + SECRET.encode()
        )
        client("ssm").put_parameter(Name="p", Value=SECRET, Type="SecureString")
        client("rds").create_db_instance(
            DBInstanceIdentifier="d",
            DBInstanceClass="db.m5.large",
            Engine="mysql",
            MasterUsername="admin",
            MasterUserPassword=SECRET,
            AllocatedStorage=20,
        )
        key = client("kms").create_key()["KeyMetadata"]["KeyId"]
        client("kms").encrypt(KeyId=key, Plaintext=SECRET.encode())
        body = json.dumps(
            {
                "Parameters": {"Word": {"Type": "String", "NoEcho": True}},
                "Resources": {"T": {"Type": "AWS::SNS::Topic"}},
            }
        )
        client("cloudformation").create_stack(
            StackName="n",
            TemplateBody=body,
            Parameters=[{"ParameterKey": "Word", "ParameterValue": SECRET}],
        )
        text = recorded.read_text()
        assert SECRET not in text
        assert text.count("<redacted>") >= 5

    def test_templates_and_messages_have_no_secret(self, recorded: Path) -> None:
        body = (
            "Resources:\n  S:\n    Type: AWS::SecretsManager::Secret\n"
            f"    Properties:\n      SecretString: '{SECRET}'\n"
        )
        client("cloudformation").create_stack(StackName="n", TemplateBody=body)
        url = client("sqs").create_queue(QueueName="q")["QueueUrl"]
        client("sqs").send_message(QueueUrl=url, MessageBody=f"it is {SECRET}")
        client("logs").create_log_group(logGroupName="g", tags={"word": f"is {SECRET}"})
        client("sqs").send_message(QueueUrl=url, MessageBody='{"password": "of-another"}')
        text = recorded.read_text()
        assert SECRET not in text
        assert "it is <redacted>" in text
        assert "of-another" not in text

    def test_malformed_request_is_recorded(self, recorded: Path) -> None:
        refusal(client("fsx").describe_storage_virtual_machines)
        (found,) = lines(recorded)
        assert found["operation"] == "DescribeStorageVirtualMachines"
        assert found["error"] == "UnknownOperationException"

    def test_concurrent_calls_are_recorded_on_separate_lines(self, tmp_path: Path) -> None:
        recorder = Recorder(tmp_path / "f")
        threads = [
            threading.Thread(
                target=lambda n=n: [recorder.write({"n": n, "x": "y" * 5000}) for _ in range(50)]
            )
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(line["n"] for line in lines(tmp_path / "f")) == sorted(list(range(8)) * 50)

    def test_record_is_readable_by_its_owner_only(self, recorded: Path) -> None:
        assert stat.S_IMODE(recorded.stat().st_mode) == 0o600

    def test_additional_sensitive_members_are_redacted(self) -> None:
        shown = without_secrets("rds", "CreateDBInstance", {"MasterUserPassword": SECRET})
        assert shown == {"MasterUserPassword": "<redacted>"}


@pytest.mark.enable_socket
class TestTheServer:
    def test_record_and_dump_are_written(self, tmp_path: Path) -> None:
        record, state = tmp_path / "calls.jsonl", tmp_path / "state.json"
        with server("--record", str(record), "--dump", str(state)) as (address, process):
            at(address, "s3", "111122223333").create_bucket(Bucket="first-1")
            assert [x["operation"] for x in lines(record)] == ["CreateBucket"]
            assert lines(record)[0]["account"] == "111122223333"
            assert not state.exists()
            process.send_signal(signal.SIGUSR1)
            until = time.monotonic() + 10
            while not state.exists():
                assert time.monotonic() < until
                time.sleep(0.02)
            assert "first-1" in state.read_text()
            at(address, "s3", "111122223333").create_bucket(Bucket="second-2")
            process.terminate()
            assert process.wait(10) == 0
            assert process.stderr.read() == ""
        document = json.loads(state.read_text())
        assert "second-2" in document["accounts"]["111122223333"]["aws"]["s3"]["buckets"]

    def test_client_cannot_claim_to_be_cloudformation(self, tmp_path: Path) -> None:
        record = tmp_path / "calls.jsonl"
        with server("--record", str(record)) as (address, _):
            sts = at(address, "sts")
            header = {"x-clusterwright-source": "cloudformation"}
            sts.meta.events.register(
                "before-call.sts.*", lambda params, **_: params["headers"].update(header)
            )
            sts.get_caller_identity()
        assert [x["source"] for x in lines(record)] == ["client"]

    @pytest.mark.parametrize("option", ["--record", "--dump"])
    def test_unwritable_file_is_reported_at_start(self, option: str, tmp_path: Path) -> None:
        done = run("--port", "0", option, str(tmp_path / "none" / "file"))
        assert done.returncode == 3
        assert "No such file" in done.stderr
        assert "Traceback" not in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_nothing_is_recorded_by_default() -> None:
    with local_aws() as aws:
        assert aws.recorder is None
        client("sts").get_caller_identity()
