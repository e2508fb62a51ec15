"""Tests of alarms."""

from __future__ import annotations

from tests.stacks.observability.sizes import GIB
from tests.stacks.templates import only, properties, text_of
from tests.support.rich_specs import FULL, changed
from tests.support.synthesis import Build


def test_alarms_exist_for_created_resources_that_can_fill_up(build: Build) -> None:
    alarms = {a["AlarmName"]: a for a in properties(build(FULL), "AWS::CloudWatch::Alarm")}
    # Intelligent-Tiering has elastic capacity.
    assert set(alarms) == {
        "test-fsx-nearly-full",
        "test-archive-nearly-full",
        "test-home-nearly-full",
        "test-accounting-nearly-full",
    }
    fsx = alarms["test-fsx-nearly-full"]
    assert (fsx["MetricName"], fsx["Statistic"], fsx["Period"]) == (
        "FreeDataStorageCapacity",
        "Sum",
        60,
    )
    assert fsx["Threshold"] == 9600 * GIB / 10
    assert fsx["ComparisonOperator"] == "LessThanThreshold"
    home = alarms["test-home-nearly-full"]
    assert home["Threshold"] == 128 * GIB * 0.9
    assert home["ComparisonOperator"] == "GreaterThanThreshold"
    assert alarms["test-accounting-nearly-full"]["Threshold"] == 100 * GIB / 10


def test_alarms_notify_all_addresses(build: Build) -> None:
    spec = changed(FULL, observability__alarm_emails=["a@example.com", "b@example.com"])
    assembly = build(spec)
    topic = only(assembly, "AWS::SNS::Topic")
    assert {s["Endpoint"] for s in topic["Subscription"]} == {"a@example.com", "b@example.com"}
    for alarm in properties(assembly, "AWS::CloudWatch::Alarm"):
        assert len(alarm["AlarmActions"]) == len(alarm["OKActions"]) == 1


def test_alarms_without_addresses_have_no_topic(build: Build) -> None:
    assembly = build(changed(FULL, observability__alarm_emails=[]))
    assert not assembly.resources("AWS::SNS::Topic")
    alarms = properties(assembly, "AWS::CloudWatch::Alarm")
    assert alarms
    assert all("AlarmActions" not in a for a in alarms)


def test_topic_is_encrypted_and_writable_for_cloudwatch(build: Build) -> None:
    assembly = build(FULL)
    assert only(assembly, "AWS::SNS::Topic")["KmsMasterKeyId"]
    key = text_of(only(assembly, "AWS::KMS::Key")["KeyPolicy"])
    assert "cloudwatch.amazonaws.com" in key


def test_topic_is_not_encrypted_with_an_existing_key(build: Build) -> None:
    """The policy of an existing key may not allow CloudWatch, and is not changed."""
    arn = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    assembly = build(changed(FULL, identity__kms_key_arn=arn))
    assert "KmsMasterKeyId" not in only(assembly, "AWS::SNS::Topic")
    assert not assembly.resources("AWS::KMS::Key")
