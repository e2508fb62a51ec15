"""Parameters, and the preferences for Session Manager."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.errors import AwsUnavailable, none_if_not_found
from clusterwright.aws.session import AwsSession


@none_if_not_found("ParameterNotFound")
def parameter(session: AwsSession, name: str) -> str | None:
    """Return the value of a parameter; None if there is none of that name."""
    return str(session.call("ssm", "GetParameter", Name=name)["Parameter"]["Value"])


SESSION_PREFERENCES: Final = "SSM-SessionManagerRunShell"
"""The document with the preferences for Session Manager of an account in a region."""


@dataclass(frozen=True)
class SessionPreferences:
    """Preferences for Session Manager; empty texts where nothing is chosen."""

    key_id: str
    """The KMS key that encrypts sessions: an ARN, an id or an alias."""

    log_group: str
    log_group_encrypted: bool
    """Whether a session ends if the log group is not found to be encrypted."""

    bucket: str
    bucket_encrypted: bool


def session_preferences(session: AwsSession) -> SessionPreferences | None:
    """Return the account's preferences for Session Manager; None if it has set none.

    Raises
    ------
    AwsUnavailable
        The request failed.
    KeyError, ValueError
        The document is not one of preferences.
    """
    try:
        answer = session.call("ssm", "GetDocument", Name=SESSION_PREFERENCES)
    except AwsUnavailable as error:
        if error.code == "InvalidDocument":
            return None
        raise
    inputs = json.loads(str(answer["Content"]))["inputs"]
    return SessionPreferences(
        str(inputs.get("kmsKeyId") or ""),
        str(inputs.get("cloudWatchLogGroupName") or ""),
        _flag(inputs.get("cloudWatchEncryptionEnabled")),
        str(inputs.get("s3BucketName") or ""),
        _flag(inputs.get("s3EncryptionEnabled")),
    )


def _flag(value: Any) -> bool:
    """Return a flag of a document, which may be a text."""
    return value is True or str(value).lower() == "true"
