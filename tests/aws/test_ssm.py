"""Parameters, and the preferences for Session Manager."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.ssm import SessionPreferences, session_preferences


def read(session: AwsSession, content: Any) -> SessionPreferences | None:
    with Stubber(session.client("ssm")) as stub:
        stub.add_response(
            "get_document",
            {"Content": json.dumps(content)},
            {"Name": "SSM-SessionManagerRunShell"},
        )
        return session_preferences(session)


def test_preferences_are_read_with_flags_as_texts(session: AwsSession) -> None:
    inputs = {
        "kmsKeyId": "alias/sessions",
        "cloudWatchLogGroupName": "/sessions",
        "cloudWatchEncryptionEnabled": "true",
        "s3BucketName": "acme-sessions",
        "s3EncryptionEnabled": False,
    }
    assert read(session, {"inputs": inputs}) == SessionPreferences(
        "alias/sessions", "/sessions", True, "acme-sessions", False
    )
    assert read(session, {"inputs": {}}) == SessionPreferences("", "", False, "", False)


@pytest.mark.parametrize(("code", "known"), [("InvalidDocument", True), ("InternalError", False)])
def test_missing_document_means_no_preferences(
    session: AwsSession, code: str, known: bool
) -> None:
    with Stubber(session.client("ssm")) as stub:
        stub.add_client_error("get_document", code)
        if known:
            assert session_preferences(session) is None
        else:
            with pytest.raises(AwsUnavailable):
                session_preferences(session)
