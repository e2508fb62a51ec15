"""Tests of server.cbor."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright_localaws.server import cbor


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"\xa1\x61a\x01", {"a": 1}),
        # of indefinite length
        (b"\xbf\x61a\x9f\x01\xff\xff", {"a": [1]}),
        (b"\x7f\x61a\x61b\xff", "ab"),
        (b"\x5f\x41a\x41b\xff", b"ab"),
        # half, single and double precision
        (b"\xf9\x3c\x00", 1.0),
        (b"\xfa\x3f\x80\x00\x00", 1.0),
        (b"\xfb" + b"\x3f\xf0" + b"\0" * 6, 1.0),
        (b"\xf6", None),
        (b"\xf7", cbor.UNDEFINED),
        (b"\xc1\x05", cbor.Time(5)),
    ],
)
def test_values_are_read(body: bytes, expected: Any) -> None:
    found = cbor.decode(body)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "premature end"),
        (b"\xa0\xa0", "bytes follow the first item"),
        (b"\xa1\x61a", "premature end"),
        (b"\xff", "break code"),
        (b"\x61\xff", "invalid utf-8|can't decode"),
        (b"\x81" * (cbor.MAX_DEPTH + 1) + b"\x00", "nesting depth"),
        # lengths that the body does not have
        (b"\x9b\x00" + b"\xff" * 7, "premature end"),
        (b"\x5b\x7f" + b"\xff" * 7, "premature end"),
        (b"\xbb\x7f" + b"\xff" * 7, "premature end"),
        (b"\xc1\x61a", "the value of tag 1 is not a number"),
        (b"\xc1\xf5", "the value of tag 1 is not a number"),
        # an integer of 16 bytes, a fraction with a huge exponent, a reference
        (b"\xc2\x50" + b"\xff" * 16, "tag 2 is not known"),
        (b"\xc4\x82\x1b\x7f" + b"\xff" * 7 + b"\x01", "tag 4 is not known"),
        (b"\x82\x01\xd8\x1d\x00", "tag 29 is not known"),
    ],
)
def test_what_is_no_item_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cbor.decode(body)


def test_no_tag_but_that_of_a_time_is_read() -> None:
    read = []
    for tag in (*range(2**16), 2**32, 2**64 - 1):
        with contextlib.suppress(ValueError):
            cbor.decode(b"\xdb" + tag.to_bytes(8, "big") + b"\x01")
            read.append(tag)
    assert read == [1]


@given(body=st.binary(max_size=100))
@settings(max_examples=300, deadline=None, database=None, derandomize=True)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(ValueError):
        cbor.decode(body)


def test_what_is_written_is_read_again() -> None:
    value = {"a": [1, -1, 2**63, 1.5], "b": b"\0", "c": True, "d": None, "t": cbor.Time(1.5)}
    assert cbor.decode(cbor.encode(value)) == value
    assert cbor.encode(cbor.Time(5.0)) == b"\xc1\x05"


def test_special_numbers_are_written_with_64_bits() -> None:
    for value in (math.inf, -math.inf, math.nan):
        written = cbor.encode(value)
        assert len(written) == 9
        assert repr(cbor.decode(written)) == repr(value)
