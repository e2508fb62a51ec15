"""Decompression of Snappy's block format, in which Prometheus sends samples.

https://github.com/google/snappy/blob/main/format_description.txt
"""

from __future__ import annotations

_LITERAL, _COPY_1, _COPY_2 = 0, 1, 2
# Literals of more bytes have their length in 1 to 4 further bytes.
_LONGEST_SHORT_LITERAL = 60


class SnappyError(ValueError):
    """The bytes are not a block of Snappy's, or are larger than permitted."""


def decompressed(data: bytes, maximum: int) -> bytes:
    """Return the content of one block, of at most `maximum` bytes.

    Raises
    ------
    SnappyError
        The block is malformed, or its content is larger.
    """
    try:
        return _decompressed(data, maximum)
    except IndexError:
        raise SnappyError("the block ends early") from None


def _decompressed(data: bytes, maximum: int) -> bytes:
    length, at = varint(data, 0)
    if length > maximum:
        raise SnappyError(f"the content has {length} bytes, and {maximum} are permitted")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        kind, at = tag & 3, at + 1
        if kind == _LITERAL:
            size = tag >> 2
            if size >= _LONGEST_SHORT_LITERAL:
                more = size - _LONGEST_SHORT_LITERAL + 1
                size, at = _number(data, at, more), at + more
            size += 1
            if at + size > len(data):
                raise SnappyError("a literal ends early")
            out += data[at : at + size]
            at += size
        else:
            if kind == _COPY_1:
                size = (tag >> 2 & 7) + 4
                offset, at = (tag >> 5) << 8 | data[at], at + 1
            else:
                size, more = (tag >> 2) + 1, 2 if kind == _COPY_2 else 4
                offset, at = _number(data, at, more), at + more
            _copy(out, offset, size)
        if len(out) > length:
            raise SnappyError("the content is longer than stated")
    if len(out) != length:
        raise SnappyError("the content is shorter than stated")
    return bytes(out)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at `at`, in groups of seven bits, and where it ends.

    Raises
    ------
    IndexError
        The data ends within it.
    ValueError
        It has more than 64 bits.
    """
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise SnappyError("a number has more than 64 bits")


def _number(data: bytes, at: int, size: int) -> int:
    if at + size > len(data):
        raise SnappyError("a length or an offset ends early")
    return int.from_bytes(data[at : at + size], "little")


def _copy(out: bytearray, offset: int, size: int) -> None:
    """Append bytes from `offset` before the end, which may reach into those appended."""
    if not 0 < offset <= len(out):
        raise SnappyError("a copy begins before the content")
    start = len(out) - offset
    while size > 0:
        block = out[start : start + min(size, len(out) - start)]
        out += block
        size -= len(block)
