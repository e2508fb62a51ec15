"""Tests of services.parallelcluster.validation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.parallelcluster import validation
from clusterwright_localaws.services.parallelcluster.validation import PYTHON
from packages.localaws.tests.cloudformation.stacks import (
    create,
    outputs,
    reason,
)
from packages.localaws.tests.services.parallelcluster.clusters import (
    Ground,
    body,
    lay_ground,
    nodes,
)


@pytest.fixture
def ground() -> Iterator[Ground]:
    with local_aws():
        yield lay_ground()


class TestWithoutValidation:
    def test_missing_validation_is_reported(
        self, ground: Ground, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(PYTHON, "")
        stack = create("top", body(ground.configuration()))
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        assert "UNVALIDATED" in reason("top", "Cluster", "CREATE_COMPLETE")
        (said,) = json.loads(outputs(stack)["Said"])
        assert said["level"] == "WARNING"
        assert said["message"].startswith("UNVALIDATED")
        assert PYTHON in said["message"]

    def test_environment_of_the_checkout_validates_by_default(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pcluster_python: str
    ) -> None:
        monkeypatch.delenv(PYTHON, raising=False)
        assert validation.validator_python() == pcluster_python
        monkeypatch.setattr(validation, "_CHECKOUT", tmp_path)
        assert validation.validator_python() is None
        # An incomplete environment is not used.
        python = tmp_path / ".clusterwright/clients/pcluster/bin/python"
        python.parent.mkdir(parents=True)
        python.touch()
        assert validation.validator_python() is None

    def test_a_python_without_the_package_fails_the_stack(
        self, ground: Ground, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(PYTHON, "/nonexistent/python")
        stack = create("top", body(ground.configuration()))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "could not validate" in reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == []
