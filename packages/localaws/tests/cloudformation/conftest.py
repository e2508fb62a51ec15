"""Fixtures: stub resource types."""

from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation import planning
from packages.localaws.tests.cloudformation.stacks import Pretend

PRETENDING = (
    "AWS::CloudWatch::Dashboard",
    "AWS::ECR::Repository",
    "AWS::SNS::Topic",
    "AWS::SSM::Parameter",
)


@pytest.fixture
def pretend(local: None, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Resource types with stub handlers that record their calls."""
    found = Pretend()
    handlers = {name: found.handler(name) for name in PRETENDING}
    monkeypatch.setattr(planning, "registry", lambda: handlers)
    return found
