"""Reads WriteRequest of Prometheus's remote write 1.0: series, each with labels and samples.

https://prometheus.io/docs/specs/prw/remote_write_spec/ (read 2026-11-28). Histograms, exemplars
and metadata are skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright_localaws.services.amp.snappy import varint

Labels = tuple[tuple[str, str], ...]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}


@dataclass(frozen=True)
class Series:
    """Labels, sorted by name, and samples: time in milliseconds since 1970, and value."""

    labels: Labels
    samples: tuple[tuple[int, float], ...]


def series_of(message: bytes) -> Iterator[Series]:
    """Yield the series of a WriteRequest.

    Raises
    ------
    ValueError
        The message is malformed.
    """
    try:
        for number, value in _fields(message):
            if number == 1 and isinstance(value, bytes):
                yield _series(value)
    except (IndexError, struct.error) as error:
        raise ValueError("the message ends early") from error


def _series(message: bytes) -> Series:
    labels: dict[str, str] = {}
    samples = []
    for number, value in _fields(message):
        if not isinstance(value, bytes):
            continue
        if number == 1:
            found = {key: text for key, text in _fields(value) if isinstance(text, bytes)}
            labels[found.get(1, b"").decode()] = found.get(2, b"").decode()
        elif number == 2:
            samples.append(_sample(value))
    return Series(tuple(sorted(labels.items())), tuple(samples))


def _sample(message: bytes) -> tuple[int, float]:
    found = dict(_fields(message))
    value = found.get(1, bytes(8))
    if not isinstance(value, bytes):
        raise ValueError("the value of a sample is no double")
    time = found.get(2, 0)
    if not isinstance(time, int):
        raise ValueError("the time of a sample is no number")
    return time - (1 << 64) if time >= 1 << 63 else time, struct.unpack("<d", value)[0]


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of each field; a double is its eight bytes."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = varint(message, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = varint(message, at)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise ValueError(f"a field has the unknown type {kind}")
        if at + size > len(message):
            raise ValueError("the message ends early")
        yield key >> 3, message[at : at + size]
        at += size
