"""Concise Binary Object Representation (RFC 8949): bytes and Python's values.

Bodies come from anywhere, so the work is bounded by their length: containers are nested at most
`MAX_DEPTH` deep, and of all tags only that of a time is read. The others name references,
patterns, or numbers whose size is not that of their encoding.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import cbor2

# The deepest input of an API that has Smithy's RPC v2 CBOR is far less deep.
MAX_DEPTH: Final = 100
_TIME: Final = 1
# The value "undefined", which Smithy reads as null.
UNDEFINED: Final = cbor2.undefined


class Time(float):
    """Seconds since 1970-01-01 UTC: the value of tag 1 (RFC 8949, section 3.4.2)."""


def decode(body: bytes) -> Any:
    """Return the value of one item that is the whole of `body`.

    "Undefined" is `UNDEFINED`, a time is a `Time`, a byte string is `bytes`.

    Raises
    ------
    ValueError
        The bytes are not one item, or have a tag that is not read.
    """
    decoder = cbor2.CBORDecoder(io.BytesIO(body), semantic_decoders=_Tags(), max_depth=MAX_DEPTH)
    try:
        found = decoder.decode()
    except (cbor2.CBORDecodeError, OverflowError, TypeError) as error:
        raise ValueError(f"the CBOR cannot be read: {error.__cause__ or error}") from error
    try:
        decoder.read(1)
    except cbor2.CBORDecodeEOF:
        return found
    raise ValueError("the CBOR cannot be read: bytes follow the first item")


def encode(value: Any) -> bytes:
    """Return the bytes of a value of the types that `decode` returns."""
    return cbor2.dumps(value, encoders={Time: _write_time, float: _write_float})


class _Tags(Mapping[int, Callable[[Any, bool], Any]]):
    """What reads the values of tags: every tag but that of a time is refused."""

    def __getitem__(self, tag: int) -> Callable[[Any, bool], Any]:
        return _read_time if tag == _TIME else _refusal(tag)

    def __iter__(self) -> Iterator[int]:
        return iter((_TIME,))

    def __len__(self) -> int:
        return 1


def _read_time(value: Any, _: bool) -> Time:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("the value of tag 1 is not a number")
    return Time(value)


def _refusal(tag: int) -> Callable[[Any, bool], Any]:
    def refuse(*_: Any) -> Any:
        raise ValueError(f"tag {tag} is not known")

    return refuse


def _write_time(encoder: cbor2.CBOREncoder, value: Time) -> None:
    whole = value.is_integer()
    encoder.encode(cbor2.CBORTag(_TIME, int(value) if whole else float(value)))


def _write_float(encoder: cbor2.CBOREncoder, value: float) -> None:
    # cbor2 writes NaN and infinities with 16 bits, which not all clients read (Smithy's RPC v2
    # CBOR, "Numeric type serialization").
    encoder.write(struct.pack(">Bd", 0xFB, value))
