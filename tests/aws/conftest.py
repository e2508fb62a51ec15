"""A session with credentials, for clients whose answers are stubbed."""

from __future__ import annotations

import pytest

from clusterwright.aws.session import AwsSession


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> AwsSession:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return AwsSession("us-east-1")
