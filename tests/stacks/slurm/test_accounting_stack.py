"""The accounting database: private, encrypted, TLS only, its password in no template."""

from __future__ import annotations

import json

from tests.stacks.templates import cluster_of, group_of, only, properties, text_of
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build

RDS = changed(MINIMAL, slurm__accounting={"kind": "rds"})


def test_no_database_without_rds(build: Build) -> None:
    for kind in ("none", "local"):
        assembly = build(changed(MINIMAL, slurm__accounting={"kind": kind}))
        assert "test-accounting" not in assembly.templates
        assert "AccountingDatabase" not in text_of(cluster_of(assembly))


def test_instance_is_private_encrypted_and_sized_by_the_spec(build: Build) -> None:
    instance = only(build(FULL), "AWS::RDS::DBInstance")
    assert instance["PubliclyAccessible"] is False
    assert instance["StorageEncrypted"] is True
    assert instance["DBInstanceClass"] == "db.t3.large"
    assert instance["AllocatedStorage"] == "100"
    assert instance["MultiAZ"] is True
    assert instance["BackupRetentionPeriod"] == 14
    assert len(instance["VPCSecurityGroups"]) == 1


def test_connections_without_tls_are_refused(build: Build) -> None:
    group = only(build(RDS), "AWS::RDS::DBParameterGroup")
    assert group["Parameters"]["require_secure_transport"] == "1"
    instance = only(build(RDS), "AWS::RDS::DBInstance")
    assert instance["EngineVersion"].startswith(group["Family"].removeprefix(instance["Engine"]))


def test_generated_password_is_in_no_template(build: Build) -> None:
    assembly = build(RDS)
    secret = only(assembly, "AWS::SecretsManager::Secret")
    assert secret["GenerateSecretString"]["GenerateStringKey"] == "password"
    assert "SecretString" not in secret
    instance = only(assembly, "AWS::RDS::DBInstance")
    text = json.dumps(instance["MasterUserPassword"])
    assert "{{resolve:secretsmanager:" in text
    assert ":SecretString:password}}" in text
    # RDS replaces the instance if the name changes: both platforms use the same name.
    assert instance["MasterUsername"] in secret["GenerateSecretString"]["SecretStringTemplate"]


def test_secret_has_the_address_of_the_instance(build: Build) -> None:
    attachment = only(build(RDS), "AWS::SecretsManager::SecretTargetAttachment")
    assert attachment["TargetType"] == "AWS::RDS::DBInstance"
    assert attachment["TargetId"] == {"Ref": "Instance"}


def test_hyperpod_has_the_database_and_continuous_provisioning(build: Build) -> None:
    cluster = cluster_of(build(RDS))
    database = cluster["Orchestrator"]["Slurm"]["AccountingDatabase"]
    assert cluster["NodeProvisioningMode"] == "Continuous"
    assert database["Name"] == "slurm_acct_db"
    assert "EndpointAddress" in database["Endpoint"]["Fn::ImportValue"]
    assert "EndpointPort" in database["Port"]["Fn::ImportValue"]
    # The attachment's Ref: the secret with the host, not the original one.
    assert "SecretAttachment" in database["SecretArn"]["Fn::ImportValue"]


def test_error_log_group_is_created_with_a_retention(build: Build) -> None:
    assembly = build(changed(RDS, observability__log_retention_days=7))
    template = assembly.templates["test-accounting"]["Resources"]
    instance = template["Instance"]
    (group,) = [name for name, r in template.items() if r["Type"] == "AWS::Logs::LogGroup"]
    identifier = instance["Properties"]["DBInstanceIdentifier"]
    assert template[group]["Properties"] == {
        **template[group]["Properties"],
        "LogGroupName": f"/aws/rds/instance/{identifier}/error",
        "RetentionInDays": 7,
    }
    assert group in instance["DependsOn"]
    assert instance["Properties"]["EnableCloudwatchLogsExports"] == ["error"]


def test_scripted_mode_has_no_accounting_database_of_hyperpod(build: Build) -> None:
    scripted = changed(
        MINIMAL, slurm={"configuration": "scripted", "accounting": {"kind": "none"}}
    )
    assert "Orchestrator" not in cluster_of(build(scripted))
    assert "SlurmConfig" not in group_of(build(scripted), "controller")
    assert not properties(build(scripted), "AWS::RDS::DBInstance")


def test_scripted_slurmdbd_has_a_user_that_is_not_the_master(build: Build) -> None:
    scripted = changed(
        FULL,
        slurm__configuration="scripted",
        resilience__node_provisioning=None,
        compute__2__min_count=None,
        compute__2__spare_count=0,
        slurm__accounting={"kind": "rds"},
    )
    secrets = {
        secret["Name"]: secret["GenerateSecretString"]["SecretStringTemplate"]
        for secret in properties(build(scripted), "AWS::SecretsManager::Secret")
        if "accounting" in secret["Name"]
    }
    assert secrets == {
        "test/slurm-accounting": '{"username": "slurm"}',
        "test/slurm-accounting-user": '{"username": "slurmdbd"}',
    }
    assert only(build(scripted), "AWS::RDS::DBInstance")["MasterUsername"] == "slurm"
