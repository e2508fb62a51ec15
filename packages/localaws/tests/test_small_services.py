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


class TestDatabaseClusters:
    REQUEST = {  # noqa: RUF012
        "DBClusterIdentifier": "accounting",
        "Engine": "aurora-mysql",
        "MasterUsername": "admin",
        "MasterUserPassword": "long-enough-1",
    }

    @pytest.mark.parametrize("name", ["1st", "a--b", "ends-", "under_score", "a" * 64])
    def test_names(self, name: str) -> None:
        create = client("rds").create_db_cluster
        found = refusal(create, **{**self.REQUEST, "DBClusterIdentifier": name})
        assert found[0] == "InvalidParameterValue"

    def test_one_that_is_there_already(self) -> None:
        rds = client("rds")
        rds.create_db_cluster(**self.REQUEST)
        found = refusal(rds.create_db_cluster, **self.REQUEST)
        assert found[0] == "DBClusterAlreadyExistsFault"

    def test_a_subnet_group_that_is_not_there_and_capacity_upside_down(self) -> None:
        create = client("rds").create_db_cluster
        found = refusal(create, **self.REQUEST, DBSubnetGroupName="no")
        assert found[0] == "DBSubnetGroupNotFoundFault"
        capacity = {"MinCapacity": 4, "MaxCapacity": 1}
        found = refusal(create, **self.REQUEST, ServerlessV2ScalingConfiguration=capacity)
        assert found[0] == "InvalidParameterValue"

    def test_the_last_snapshot(self) -> None:
        rds = client("rds")
        rds.create_db_cluster(**self.REQUEST)
        one = {"DBClusterIdentifier": "accounting"}
        assert refusal(rds.delete_db_cluster, **one)[0] == "InvalidParameterCombination"
        both = {"SkipFinalSnapshot": True, "FinalDBSnapshotIdentifier": "last"}
        assert refusal(rds.delete_db_cluster, **one, **both)[0] == "InvalidParameterCombination"
        rds.delete_db_cluster(**one, FinalDBSnapshotIdentifier="last")
        snapshots = rds.describe_db_cluster_snapshots(SnapshotType="manual")
        assert [s["DBClusterSnapshotIdentifier"] for s in snapshots["DBClusterSnapshots"]] == [
            "last"
        ]


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
        one = {
            "workspaceId": amp.create_workspace(alias="w")["workspaceId"],
            "name": "gpus",
            "data": b"groups: []",
        }
        amp.create_rule_groups_namespace(**one)
        assert refusal(amp.create_rule_groups_namespace, **one)[0] == "ConflictException"
