"""Tests of services.secretsmanager.fixes.rotation."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import Site, client, refusal

ACCOUNT = "123456789012"


class TestFunctions:
    @pytest.fixture
    def function(self, site: Site) -> str:
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("index.py", "def handler(event, context): return 1\n")
        iam = client("iam")
        document = json.dumps(trust("lambda.amazonaws.com"))
        role = iam.create_role(RoleName="f", AssumeRolePolicyDocument=document)
        made = client("lambda").create_function(
            FunctionName="f",
            Runtime="python3.13",
            Role=role["Role"]["Arn"],
            Handler="index.handler",
            Code={"ZipFile": code.getvalue()},
        )
        return str(made["FunctionArn"])

    def test_rotation_is_stored_and_not_executed(self, function: str) -> None:
        secrets = client("secretsmanager")
        secret = secrets.create_secret(Name="s", SecretString="before")["ARN"]
        secrets.rotate_secret(
            SecretId=secret,
            RotationLambdaARN=function,
            RotationRules={"AutomaticallyAfterDays": 30},
        )
        about = secrets.describe_secret(SecretId=secret)
        assert (about["RotationEnabled"], about["RotationLambdaARN"]) == (True, function)
        assert secrets.get_secret_value(SecretId=secret)["SecretString"] == "before"
        stages = [stage for item in about["VersionIdsToStages"].values() for stage in item]
        assert stages == ["AWSCURRENT"]

    def test_rotation_with_an_unknown_function_is_refused(self, site: Site) -> None:
        secrets = client("secretsmanager")
        secret = secrets.create_secret(Name="s", SecretString="x")["ARN"]
        absent = f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:absent"
        code, message = refusal(
            secrets.rotate_secret,
            SecretId=secret,
            RotationLambdaARN=absent,
            RotationRules={"AutomaticallyAfterDays": 30},
        )
        # As recorded on AWS by LocalStack's tests, 2024-03-15; nothing is stored.
        assert code == "AccessDeniedException"
        assert message.startswith("Secrets Manager cannot invoke the specified Lambda function.")
        assert "RotationEnabled" not in secrets.describe_secret(SecretId=secret)
