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
