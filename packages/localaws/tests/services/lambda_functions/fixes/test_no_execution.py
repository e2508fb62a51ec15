"""Tests of services.lambda_functions.fixes.no_execution."""

from __future__ import annotations

import io
import json
import time
import zipfile

import pytest

from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import Site, client


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

    def test_function_is_stored_and_not_run(self, function: str) -> None:
        start = time.monotonic()
        answer = client("lambda").invoke(FunctionName=function)
        assert time.monotonic() - start < 10
        assert answer["FunctionError"]
        assert json.load(answer["Payload"])["errorType"] == "NotRun"
