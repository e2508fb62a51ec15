"""The mixed load: right answers pass, wrong and missing ones are reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import load
from benchmarks.local_aws import Server


@pytest.fixture
def url() -> Any:
    server = Server()
    yield server.url
    server.end()


@pytest.mark.enable_socket
def test_no_answer_of_the_local_aws_is_wrong_or_lost(url: str) -> None:
    outcome = load.mixed_load(url, None, 1.0, clients=2)
    assert (outcome.wrong, outcome.lost) == ([], [])
    assert outcome.most_stacks == 2 * load.STACKS_PER_CLIENT
    assert len(outcome.seconds) > 2 * 2 * load.STACKS_PER_CLIENT
    assert 0 < outcome.percentile(0.5) <= outcome.percentile(0.99)


@pytest.mark.enable_socket
def test_a_wrong_answer_is_found(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    template = load._template
    monkeypatch.setattr(load, "STACKS_PER_CLIENT", 1)
    # The stack has another value than the client believes.
    monkeypatch.setattr(load, "_template", lambda name, value: _other(template(name, value)))
    outcome = load.mixed_load(url, None, 2.0, clients=1)
    assert outcome.wrong
    assert all(": parameter of load-0-0: " in text for text in outcome.wrong)


@pytest.mark.enable_socket
def test_a_refused_call_is_a_wrong_answer(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_template", lambda _name, _value: "{}")
    outcome = load.mixed_load(url, None, 1.0, clients=1)
    (text,) = outcome.wrong
    assert "CreateStack" in text


@pytest.mark.enable_socket
def test_a_lost_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "STACKS_PER_CLIENT", 1)
    outcome = load.mixed_load("http://127.0.0.1:9", None, 1.0, clients=2)
    assert len(outcome.lost) == 2
    assert all("s3 create_bucket" in text for text in outcome.lost)


def _other(template: str) -> str:
    found = json.loads(template)
    properties = found["Resources"]["Parameter"]["Properties"]
    properties["Value"] += "-other"
    return json.dumps(found)
