"""Documents of Systems Manager have platform types of AWS's model."""

from __future__ import annotations

import json

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client


def test_preferences_of_sessions_are_kept() -> None:
    content = {"schemaVersion": "1.0", "sessionType": "Standard_Stream", "inputs": {}}
    with local_aws():
        ssm = client("ssm")
        ssm.create_document(
            Name="SSM-SessionManagerRunShell",
            DocumentType="Session",
            Content=json.dumps(content),
        )
        found = ssm.describe_document(Name="SSM-SessionManagerRunShell")["Document"]
        assert found["PlatformTypes"] == ["Windows", "Linux", "MacOS"]
        kept = ssm.get_document(Name="SSM-SessionManagerRunShell")["Content"]
        assert json.loads(kept) == content


def test_parameters_of_documents_have_types_that_the_model_lacks() -> None:
    types = ("String", "StringList", "Integer", "Boolean", "MapList", "StringMap")
    content = {
        "schemaVersion": "2.2",
        "description": "one parameter of each type",
        "parameters": {
            f"a{one}": {"type": one, "description": one, "default": ""} for one in types
        },
        "mainSteps": [],
    }
    with local_aws():
        ssm = client("ssm")
        made = ssm.create_document(
            Name="typed", DocumentType="Command", Content=json.dumps(content)
        )["DocumentDescription"]
        assert [one["Type"] for one in made["Parameters"]] == [*types]


def test_an_invocation_of_a_command_is_answered() -> None:
    with local_aws():
        ssm = client("ssm")
        command = ssm.send_command(
            DocumentName="AWS-RunShellScript",
            InstanceIds=["i-0123456789abcdef0"],
            Parameters={"commands": ["true"]},
        )["Command"]["CommandId"]
        found = ssm.get_command_invocation(CommandId=command, InstanceId="i-0123456789abcdef0")
        assert found["Status"] == "Success"
