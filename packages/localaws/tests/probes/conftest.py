"""A caller that answers from a list, and one that asks a local AWS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.probes.calls import Answer, BotoCaller
from clusterwright_localaws.probes.model import Call, Probe

NAMES = {"account": "123456789012", "region": "us-east-1", "run": "r1", "name": "probe-r1"}


class Scripted:
    """Answers operations from a table of answers; the last answer of an operation is repeated."""

    def __init__(self, **answers: Any) -> None:
        self._answers = {
            name: list(given) if isinstance(given, list) else [given]
            for name, given in answers.items()
        }
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Answer:
        self.calls.append(call)
        waiting = self._answers[call.operation]
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Answer) else Answer(200, answer)

    @property
    def operations(self) -> list[str]:
        return [call.operation for call in self.calls]


@pytest.fixture
def names() -> dict[str, Any]:
    return dict(NAMES)


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def probe() -> Callable[..., Probe]:
    """Return a probe of some steps."""

    def build(*steps: dict[str, Any]) -> Probe:
        return Probe.model_validate(
            {"id": "one", "shows": "something", "sources": ["model"], "steps": list(steps)}
        )

    return build


@pytest.fixture(scope="module")
def one_local_aws() -> Iterator[BotoCaller]:
    """A caller of one local AWS for all probes of a module."""
    with local_aws():
        yield BotoCaller("us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")
