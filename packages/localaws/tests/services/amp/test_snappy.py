"""Tests of services.amp.snappy."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.amp.snappy import SnappyError, decompressed

MOST = 1000


@pytest.mark.parametrize(
    ("block", "content"),
    [
        (b"\x00", b""),
        (b"\x03\x08abc", b"abc"),
        # A literal of 61 bytes has its length in a further byte.
        (b"\x3d\xf0\x3c" + b"x" * 61, b"x" * 61),
        # Copies with offsets of one, two and four bytes; the first overlaps itself.
        (b"\x09\x00a\x11\x01", b"aaaaaaaaa"),
        (b"\x06\x08abc\x0a\x03\x00", b"abcabc"),
        (b"\x06\x08abc\x0b\x03\x00\x00\x00", b"abcabc"),
    ],
)
def test_blocks_are_decompressed(block: bytes, content: bytes) -> None:
    assert decompressed(block, MOST) == content


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (b"", "the block ends early"),
        (b"\x05\x10ab", "a literal ends early"),
        (b"\x05\x08abc", "the content is shorter than stated"),
        (b"\x02\x08abc", "the content is longer than stated"),
        (b"\x06\x08abc\x0a\x04\x00", "a copy begins before the content"),
        (b"\x06\x08abc\x0a\x03", "a length or an offset ends early"),
        (b"\xe9\x07", "the content has 1001 bytes, and 1000 are permitted"),
        (b"\xff" * 11, "a number has more than 64 bits"),
    ],
)
def test_malformed_blocks_are_refused(block: bytes, message: str) -> None:
    with pytest.raises(SnappyError, match=message):
        decompressed(block, MOST)
