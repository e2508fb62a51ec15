"""The program in the environment of aws-parallelcluster, with stubs of its package."""

from __future__ import annotations

import io
import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from clusterwright_localaws.services.parallelcluster import pcluster_validator

ROWS = ["param_path", "parameter", "check", "reason", "action_needed", "new value", "old value"]


class _Invalid(Exception):
    def __init__(self, messages: Any) -> None:
        super().__init__(str(messages))
        self.messages = messages


@pytest.fixture
def pcluster(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What the stubs answer."""
    found = SimpleNamespace(invalid=None, problems=[], allowed=True, rows=[ROWS], fails=None)

    class Schema:
        def __init__(self, cluster_name: str) -> None:
            found.name = cluster_name

        def load(self, configuration: Any) -> Any:
            if found.invalid is not None:
                raise _Invalid(found.invalid)
            print("noise of the package")
            return Config()

    class Config:
        def validate(self, suppressors: Any, context: Any) -> Any:
            found.context = context
            if found.fails is not None:
                raise found.fails
            return [
                SimpleNamespace(level=SimpleNamespace(name=level), validator_type=kind, message=m)
                for level, kind, m in found.problems
            ]

    class Patch:
        def __init__(self, cluster: Any, base: Any, target: Any) -> None:
            found.cluster = cluster

        def check(self) -> Any:
            return found.allowed, found.rows

        @staticmethod
        def build_config_param_path(path: list[str], parameter: str) -> str:
            return ".".join([*path, parameter])

    modules: dict[str, dict[str, Any]] = {
        "marshmallow": {"ValidationError": _Invalid},
        "pcluster": {},
        "pcluster.schemas": {},
        "pcluster.schemas.cluster_schema": {"ClusterSchema": Schema},
        "pcluster.utils": {"get_installed_version": lambda: "3.16.1"},
        "pcluster.api": {},
        "pcluster.api.controllers": {},
        "pcluster.api.controllers.common": {"get_validator_suppressors": lambda names: names},
        "pcluster.validators": {},
        "pcluster.validators.common": {"ValidatorContext": lambda **more: more},
        "pcluster.config": {},
        "pcluster.config.config_patch": {"ConfigPatch": Patch},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    return found


def answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], **request: Any
) -> dict[str, Any]:
    described = {
        "name": "train",
        "configuration": {},
        "base": None,
        "validators": True,
        "suppressed": [],
        "head_node_instance_id": "i-1",
        "head_node_security_group": "sg-1",
        "compute_security_group": "sg-2",
        "running_capacity": True,
        "running_login_pools": ["login"],
        **request,
    }
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(described)))
    pcluster_validator.main()
    printed = capsys.readouterr()
    assert "noise" not in printed.out
    return dict(json.loads(printed.out))


Fixtures = tuple[pytest.MonkeyPatch, pytest.CaptureFixture[str]]


@pytest.fixture
def io_(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fixtures:
    return monkeypatch, capsys


def test_messages_of_the_validators(pcluster: SimpleNamespace, io_: Fixtures) -> None:
    pcluster.problems = [("WARNING", "NameValidator", "odd")]
    assert answer(*io_) == {
        "version": "3.16.1",
        "messages": [{"level": "WARNING", "type": "NameValidator", "message": "odd"}],
        "refused": [],
        "validators": True,
    }
    assert pcluster.name == "train"
    assert pcluster.context == {"head_node_instance_id": "i-1", "during_update": False}


def test_validators_run_only_where_asked_for(pcluster: SimpleNamespace, io_: Fixtures) -> None:
    found = answer(*io_, validators=False)
    assert (found["messages"], found["validators"]) == ([], False)


@pytest.mark.parametrize(
    ("messages", "text"),
    [({"b": ["x"], "a": ["y"]}, "[('a', ['y']), ('b', ['x'])]"), (["no"], "['no']")],
)
def test_a_violation_of_the_schema(
    pcluster: SimpleNamespace, io_: Fixtures, messages: Any, text: str
) -> None:
    pcluster.invalid = messages
    found = answer(*io_)
    assert found["messages"] == [
        {"level": "ERROR", "type": "ConfigSchemaValidator", "message": text}
    ]
    assert found["validators"] is False


def test_a_validator_that_fails_is_an_error(pcluster: SimpleNamespace, io_: Fixtures) -> None:
    pcluster.fails = ValueError("boom")
    (message,) = answer(*io_)["messages"]
    assert message["message"] == "Invalid cluster configuration: boom"


class TestUpdate:
    def test_a_refused_change_is_named(self, pcluster: SimpleNamespace, io_: Fixtures) -> None:
        pcluster.allowed = False
        pcluster.rows = [
            ROWS,
            [["Scheduling"], "Scheduler", "ACTION NEEDED", "no.", "Stop the fleet", "b", "a"],
            [["HeadNode"], "Ssh", "ACTION NEEDED", "-", None, 2, 1],
            [["Image"], "Os", "SUCCEEDED", "-", "-", "x", "y"],
        ]
        found = answer(*io_, base={"a": 1})
        assert found["refused"] == [
            {
                "parameter": "Scheduling.Scheduler",
                "requestedValue": "b",
                "currentValue": "a",
                "message": "no. Stop the fleet.",
            },
            {
                "parameter": "HeadNode.Ssh",
                "requestedValue": "2",
                "currentValue": "1",
                "message": ".",
            },
        ]
        assert found["validators"] is False

    def test_an_allowed_change_is_validated(
        self, pcluster: SimpleNamespace, io_: Fixtures
    ) -> None:
        assert answer(*io_, base={"a": 1})["validators"] is True
        assert pcluster.context["during_update"] is True
        cluster = pcluster.cluster
        assert cluster.has_running_capacity()
        assert cluster.has_running_login_nodes()
        assert cluster.has_running_login_nodes(pool_name="login")
        assert not cluster.has_running_login_nodes(pool_name="other")
