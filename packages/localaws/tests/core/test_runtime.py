"""The state of one local AWS: stores, clock, faults."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.core.runtime import Runtime, running, runtime
from clusterwright_localaws.worlds.injections import LogLines, NodeFault, Override
from clusterwright_localaws.worlds.model import Fault, World


def test_a_store_belongs_to_its_account_and_region() -> None:
    found = Runtime(World())
    first: list[int] = found.store("k", "1", "us-east-1", list)
    assert found.store("k", "1", "us-east-1", list) is first
    assert found.store("k", "2", "us-east-1", list) is not first
    assert found.store("k", "1", "us-west-2", list) is not first
    assert [(account, region) for account, region, _ in found.stores("k")] == [
        ("1", "us-east-1"),
        ("2", "us-east-1"),
        ("1", "us-west-2"),
    ]
    assert list(found.stores("other")) == []


def test_everything_is_sorted() -> None:
    found = Runtime(World())
    for kind, account in (("b", "1"), ("a", "2"), ("a", "1")):
        found.store(kind, account, "r", list)
    assert [(kind, account) for kind, account, _, _ in found.everything()] == [
        ("a", "1"),
        ("a", "2"),
        ("b", "1"),
    ]


def test_stores_with_timers_advance() -> None:
    found, timers = Runtime(World()), Mock()
    found.store("timers", "1", "r", lambda: timers)
    found.store("plain", "1", "r", list)
    found.advance()
    timers.advance.assert_called_once_with()


def test_faults_are_replaced_and_counted_anew() -> None:
    found = Runtime(World())
    fault = Fault(service="ec2", operation="RunInstances", error="Boom", times=1)
    found.set_faults([fault])
    before = found.faults
    assert found.world.faults == [fault]
    found.set_faults([fault])
    assert found.faults is not before


def test_forgetting_keeps_the_world() -> None:
    found = Runtime(World(account="444455556666"))
    found.store("k", "1", "r", list)
    found.forget()
    assert list(found.everything()) == []
    assert found.world.account == "444455556666"


class TestProcess:
    def test_outside_of_a_block_none_is_active(self) -> None:
        before = runtime()
        with running(World()) as inner:
            assert runtime() is inner
            assert inner.active
        assert not inner.active
        assert runtime() is before

    def test_the_previous_one_is_back_after_an_error(self) -> None:
        before: Any = runtime()
        with pytest.raises(ValueError, match="x"), running(World()):
            raise ValueError("x")
        assert runtime() is before


def test_injections_are_replaced_one_kind_at_a_time() -> None:
    found = Runtime(World(log_lines=[LogLines(group="g", stream="s", lines=["x"], at="-1m")]))
    broken = NodeFault(group="workers", number=1, times=1)
    found.inject(node_faults=[broken])
    assert found.node_faults.hit("train", "workers", 1, "launch") == broken
    assert found.node_faults.hit("train", "workers", 1, "launch") is None
    found.inject(overrides=[])
    assert found.node_faults.hit("train", "workers", 1, "launch") == broken
    assert [each.group for each in found.world.log_lines] == ["g"]


def test_injection_that_contradicts_the_model_is_refused() -> None:
    found = Runtime(World())
    wrong = Override(service="sagemaker", operation="DescribeCluster", set={"Nothing": 1})
    with pytest.raises(ValueError, match="has no member Nothing"):
        found.inject(overrides=[wrong])
    assert found.world.overrides == []
