"""Calls that our own services make, and for whom they make them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from clusterwright_localaws.iam.principals import Caller

# The principal on whose behalf a service works during a call; None: unchecked.
_acting: ContextVar[Caller | None] = ContextVar("acting", default=None)
# The request is an internal one, from a service of the local AWS.
_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def acting_as(caller: Caller | None) -> Iterator[None]:
    """Use this caller's permissions for calls of our services inside the block."""
    token = _acting.set(caller)
    try:
        yield
    finally:
        _acting.reset(token)


@contextmanager
def inside() -> Iterator[None]:
    """Mark the calls in the block as internal calls of a service."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def acting() -> Caller | None:
    """The caller that our services work for now."""
    return _acting.get()


def is_inside() -> bool:
    """Return whether the current call is an internal call of a service."""
    return _inside.get()
