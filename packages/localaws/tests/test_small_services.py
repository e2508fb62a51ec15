"""What CloudWatch, Logs, RDS, Secrets Manager and Prometheus refuse, where moto took it."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def alarm(**more: Any) -> dict[str, Any]:
    request = {
        "AlarmName": "idle",
        "MetricName": "Busy",
        "Namespace": "Cluster",
        "Period": 60,
        "EvaluationPeriods": 5,
        "Threshold": 1.0,
        "ComparisonOperator": "LessThanThreshold",
        "Statistic": "Maximum",
        **more,
    }
    return {key: value for key, value in request.items() if value is not None}


class TestAlarms:
    @pytest.mark.parametrize(
        "more",
        [
            {},
            {"Period": 10},
            {"Statistic": None, "ExtendedStatistic": "p99"},
            {"Period": 3600, "EvaluationPeriods": 168},
            {"Period": 60, "EvaluationPeriods": 1440},
        ],
    )
    def test_alarms_that_are_taken(self, more: dict[str, Any]) -> None:
        client("cloudwatch").put_metric_alarm(**alarm(**more))
        assert len(client("cloudwatch").describe_alarms()["MetricAlarms"]) == 1

    @pytest.mark.parametrize(
        "more",
        [
            {"Period": 7},
            {"Period": 90},
            {"Statistic": None},
            {"ExtendedStatistic": "p99"},
            {"Period": 60, "EvaluationPeriods": 1441},
            {"Period": 3600, "EvaluationPeriods": 169},
            {"DatapointsToAlarm": 6},
        ],
    )
    def test_alarms_that_are_refused(self, more: dict[str, Any]) -> None:
        found = refusal(client("cloudwatch").put_metric_alarm, **alarm(**more))
        assert found[0] == "ValidationError"
        assert client("cloudwatch").describe_alarms()["MetricAlarms"] == []


def test_logs_are_kept_for_a_number_of_days_from_the_list() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="g")
    logs.put_retention_policy(logGroupName="g", retentionInDays=400)
    found = refusal(logs.put_retention_policy, logGroupName="g", retentionInDays=4)
    assert found[0] == "InvalidParameterException"
    assert logs.describe_log_groups()["logGroups"][0]["retentionInDays"] == 400


def test_the_name_of_a_deleted_secret_is_not_free_yet() -> None:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="x")
    secrets.delete_secret(SecretId="s")
    found = refusal(secrets.create_secret, Name="s", SecretString="y")
    assert found[0] == "InvalidRequestException"
    assert "already scheduled for deletion" in found[1]
    secrets.restore_secret(SecretId="s")
    assert refusal(secrets.create_secret, Name="s", SecretString="y")[0] == (
        "ResourceExistsException"
    )
    secrets.delete_secret(SecretId="s", ForceDeleteWithoutRecovery=True)
    secrets.create_secret(Name="s", SecretString="y")


class TestPrometheus:
    def test_alert_managers(self) -> None:
        amp = client("amp")
        of = {"workspaceId": amp.create_workspace(alias="w")["workspaceId"]}
        gone = refusal(amp.describe_alert_manager_definition, **of)
        assert gone[0] == "ResourceNotFoundException"
        amp.create_alert_manager_definition(**of, data=b"alertmanager_config: |\n")
        again = refusal(amp.create_alert_manager_definition, **of, data=b"x")
        assert again[0] == "ConflictException"
        amp.put_alert_manager_definition(**of, data=b"other")
        found = amp.describe_alert_manager_definition(**of)["alertManagerDefinition"]
        assert (found["data"], found["status"]["statusCode"]) == (b"other", "ACTIVE")
        amp.delete_alert_manager_definition(**of)
        gone = refusal(amp.describe_alert_manager_definition, **of)
        assert gone[0] == "ResourceNotFoundException"

    def test_a_name_of_rule_groups_is_taken_once(self) -> None:
        amp = client("amp")
        item = {
            "workspaceId": amp.create_workspace(alias="w")["workspaceId"],
            "name": "gpus",
            "data": b"groups: []",
        }
        amp.create_rule_groups_namespace(**item)
        assert refusal(amp.create_rule_groups_namespace, **item)[0] == "ConflictException"
