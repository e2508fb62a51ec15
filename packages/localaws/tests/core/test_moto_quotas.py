"""Quotas of the world for methods of moto."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_localaws.core import moto_quotas, quotas
from clusterwright_localaws.core.quotas import AppliedQuota
from clusterwright_localaws.core.runtime import Runtime, running
from clusterwright_localaws.worlds.model import World

KEYS = ("kms", "L-C2F1777E")


class Full(Exception):
    pass


def refusal(found: AppliedQuota) -> Exception:
    return Full(f"at most {found.value:g}")


class Backend:
    account_id, region_name = "111122223333", "us-east-1"

    def __init__(self) -> None:
        self.made: list[Any] = []

    def create(self, name: str, size: float = 1.0) -> str:
        self.made.append(name)
        return name


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A backend of a class of its own, whose resources are counted."""
    found = type("Own", (Backend,), {})()
    monkeypatch.setitem(quotas._usage, KEYS, lambda *_: float(len(found.made)))
    return found


def world(limit: float) -> World:
    return World.model_validate({"quotas": {"/".join(KEYS): limit}})


def test_a_call_beyond_the_quota_is_refused(backend: Any) -> None:
    moto_quotas.limit(type(backend), "create", KEYS, refusal)
    with running(world(2)):
        assert [backend.create(name) for name in "ab"] == ["a", "b"]
        with pytest.raises(Full, match="at most 2"):
            backend.create("c")
    assert backend.create("c") == "c"  # no local AWS is active


def test_what_a_call_adds_depends_on_its_arguments(backend: Any) -> None:
    def added(_: Any, name: str, size: float = 1.0) -> float | None:
        return None if name == "free" else size

    moto_quotas.limit(type(backend), "create", KEYS, refusal, added=added)
    with running(world(3)):
        with pytest.raises(Full):
            backend.create("big", size=4.0)
        assert backend.create("free", size=9.0) == "free"
        assert backend.create("fits", 2.0) == "fits"


def test_usage_may_be_that_of_the_call(backend: Any) -> None:
    moto_quotas.limit(type(backend), "create", KEYS, refusal, used=lambda *_, **__: 3.0)
    with running(world(3)), pytest.raises(Full):
        backend.create("a")


def test_an_unknown_quota_is_not_enforced(backend: Any) -> None:
    with running(world(0)):
        moto_quotas.require(backend, ("kms", "L-00000000"), 1e9, refusal)
        with pytest.raises(Full, match="at most 0"):
            moto_quotas.require(backend, KEYS, 1, refusal)


def test_usage_is_counted_in_motos_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "_usage", {})
    state = SimpleNamespace(keys=[1, 2, 3])
    monkeypatch.setattr(
        moto_quotas.moto_state, "backend", lambda *where: state if where[0] == "kms" else None
    )
    moto_quotas.count(KEYS, "kms", lambda backend: len(backend.keys))
    assert quotas.in_use(Runtime(World()), "1", "us-east-1", *KEYS) == 3.0
