"""Secrets of a template, and their databases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.secretsmanager.cfn import Secret, SecretTargetAttachment
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")


def value(secret: str) -> str:
    return str(client("secretsmanager").get_secret_value(SecretId=secret)["SecretString"])


def test_a_secret_is_created_changed_and_deleted_at_once() -> None:
    secrets = client("secretsmanager")
    before = {"SecretString": "one", "Tags": tags(a="1")}
    created = Secret().create(context(), before)
    arn = created.physical_id
    assert secrets.describe_secret(SecretId=arn)["Name"] == "Thing-AbCdEfGhIjKl"
    assert value(arn) == "one"
    after = {"SecretString": "two", "Description": "d", "Tags": tags(b="2")}
    Secret().update(context(), arn, before, after)
    assert value(arn) == "two"
    found = secrets.describe_secret(SecretId=arn)
    assert (found["Description"], found["Tags"]) == ("d", tags(b="2"))
    Secret().delete(context(), arn, after)
    assert refusal(secrets.describe_secret, SecretId=arn)[0] == "ResourceNotFoundException"


def test_a_generated_password_goes_into_its_template() -> None:
    settings = {
        "SecretStringTemplate": '{"username": "slurm"}',
        "GenerateStringKey": "password",
        "PasswordLength": 20,
        "ExcludePunctuation": True,
    }
    arn = Secret().create(context(), {"GenerateSecretString": settings}).physical_id
    found = json.loads(value(arn))
    assert found["username"] == "slurm"
    assert len(found["password"]) == 20
    assert found["password"].isalnum()


@pytest.mark.parametrize(
    "settings",
    [
        {"SecretStringTemplate": "{", "GenerateStringKey": "p"},
        {"SecretStringTemplate": "{}"},
        {"SecretStringTemplate": "[]", "GenerateStringKey": "p"},
    ],
)
def test_a_template_without_its_key_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(HandlerFailure, match="You must specify a valid JSON") as caught:
        Secret().create(context(), {"GenerateSecretString": settings})
    assert caught.value.code == "InvalidRequest"


class TestAttachment:
    def database(self) -> None:
        client("rds").create_db_instance(
            DBInstanceIdentifier="db",
            DBInstanceClass="db.t4g.medium",
            Engine="mysql",
            AllocatedStorage=20,
            MasterUsername="slurm",
            MasterUserPassword="not-a-secret-1",
        )

    def test_the_connection_is_in_the_secret_while_attached(self) -> None:
        self.database()
        arn = Secret().create(context(), {"SecretString": '{"username": "slurm"}'}).physical_id
        properties = {
            "SecretId": arn,
            "TargetId": "db",
            "TargetType": "AWS::RDS::DBInstance",
        }
        SecretTargetAttachment().create(context(), properties)
        found = json.loads(value(arn))
        assert (found["engine"], found["dbInstanceIdentifier"]) == ("mysql", "db")
        assert found["port"] == 3306
        SecretTargetAttachment().delete(context(), arn, properties)
        assert json.loads(value(arn)) == {"username": "slurm"}

    @pytest.mark.parametrize(
        ("text", "kind", "message"),
        [
            ("{}", "AWS::RDS::DBCluster", "does not attach secrets to AWS::RDS::DBCluster"),
            ("plain", "AWS::RDS::DBInstance", "The secret string is not a JSON object"),
        ],
    )
    def test_refused(self, text: str, kind: str, message: str) -> None:
        self.database()
        arn = Secret().create(context(), {"SecretString": text}).physical_id
        properties = {"SecretId": arn, "TargetId": "db", "TargetType": kind}
        with pytest.raises(HandlerFailure, match=message):
            SecretTargetAttachment().create(context(), properties)
