"""Calls that services make, and the callers they make them for."""

from __future__ import annotations

import pytest

from clusterwright_localaws.iam.inside import acting, acting_as, inside, is_inside
from clusterwright_localaws.iam.principals import Caller

ANN = Caller("user", "111122223333", "arn:aws:iam::111122223333:user/ann")
BOB = Caller("user", "111122223333", "arn:aws:iam::111122223333:user/bob")


def test_the_caller_is_that_of_the_innermost_block() -> None:
    assert acting() is None
    with acting_as(ANN):
        with acting_as(BOB):
            assert acting() is BOB
        with acting_as(None):
            assert acting() is None
        assert acting() is ANN
    assert acting() is None


def test_a_call_is_internal_only_within_its_block() -> None:
    with inside():
        with inside():
            assert is_inside()
        assert is_inside()
    assert not is_inside()


def test_an_error_ends_both() -> None:
    with pytest.raises(ValueError, match="x"), acting_as(ANN), inside():
        raise ValueError("x")
    assert acting() is None
    assert not is_inside()
