"""One call, and the table of implemented operations."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.call import OPERATIONS, Call, operation
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import World


def call(region: str = "us-east-1") -> Call:
    return Call("fsx", "CreateFileSystem", "111122223333", region, Runtime(World()))


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("us-east-1", "arn:aws:fsx:us-east-1:111122223333:file-system/fs-1"),
        ("cn-north-1", "arn:aws-cn:fsx:cn-north-1:111122223333:file-system/fs-1"),
        ("us-gov-west-1", "arn:aws-us-gov:fsx:us-gov-west-1:111122223333:file-system/fs-1"),
    ],
)
def test_arns_are_of_the_caller_and_its_partition(region: str, expected: str) -> None:
    assert call(region).arn("fsx", "file-system/fs-1") == expected


def test_the_time_and_the_world_are_those_of_the_runtime() -> None:
    found = call()
    assert found.world is found.runtime.world
    before = found.now
    found.runtime.clock.advance(3600)
    assert 3600 <= (found.now - before).total_seconds() < 3660


def test_operations_are_registered_under_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterwright_localaws.core.call.OPERATIONS", table := {})

    @operation("fsx", "One", "Two")
    def answer(call: Call) -> dict[str, str]:
        return {"Operation": call.operation}

    assert table == {("fsx", "One"): answer, ("fsx", "Two"): answer}
    assert answer(call()) == {"Operation": "CreateFileSystem"}


def test_every_registered_operation_is_one_of_its_api() -> None:
    from clusterwright_localaws.api_page import own_operations
    from clusterwright_localaws.server.wire import service_model

    own_operations()
    unknown = [
        (service, name)
        for service, name in OPERATIONS
        if name not in service_model(service).operation_names
    ]
    assert unknown == []
