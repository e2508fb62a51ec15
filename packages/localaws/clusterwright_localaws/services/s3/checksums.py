"""Checksums of objects: what can be computed of them, and those of joined parts.

XXHash and others that Python's library lacks are not computed.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final

CRC64NVME: Final = "CRC64NVME"
# Polynomials, reflected: NVM Express NVM Command Set (CRC64NVME), RFC 3720 (CRC32C), ISO 3309.
_POLYNOMIALS: Final = {
    CRC64NVME: 0x9A6C9329AC4BC9B5,
    "CRC32C": 0x82F63B78,
    "CRC32": 0xEDB88320,
}
# What Python's library does not compute; in Python it takes a second for some tens of MiB.
COMPUTED_HERE: Final = frozenset({CRC64NVME, "CRC32C"})
MOST_BYTES: Final = 1 << 24
# Data are divided into pieces of this size, whose remainders are computed side by side.
_PIECE: Final = 1024
_FEWEST_PIECES: Final = 64
_DIGESTS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).digest(),
    "CRC32": lambda data: binascii.crc32(data).to_bytes(4, "big"),
    "SHA1": lambda data: hashlib.sha1(data, usedforsecurity=False).digest(),
    "SHA256": lambda data: hashlib.sha256(data).digest(),
    "SHA512": lambda data: hashlib.sha512(data).digest(),
}
# Bytes of the values of each algorithm.
LENGTHS: Final = {
    "CRC32": 4,
    "CRC32C": 4,
    CRC64NVME: 8,
    "MD5": 16,
    "SHA1": 20,
    "SHA256": 32,
    "SHA512": 64,
}
FULL_OBJECT: Final = "FULL_OBJECT"
COMPOSITE: Final = "COMPOSITE"
WITH_BOTH_TYPES: Final = frozenset(_POLYNOMIALS) - {CRC64NVME}


def checksum(data: bytes, algorithm: str) -> str | None:
    """The checksum of data in Base64; `None` where it cannot be computed, or not in short time."""
    if algorithm in COMPUTED_HERE:
        return crc(data, algorithm) if len(data) <= MOST_BYTES else None
    digest = _DIGESTS.get(algorithm)
    return None if digest is None else base64.b64encode(digest(data)).decode()


def default_type(algorithm: str) -> str:
    """The type of an upload's checksum where the upload names none."""
    return FULL_OBJECT if algorithm == CRC64NVME else COMPOSITE


def types(algorithm: str) -> frozenset[str]:
    """The types that an upload's checksum may have."""
    if algorithm == CRC64NVME:
        return frozenset({FULL_OBJECT})
    both = algorithm in WITH_BOTH_TYPES
    return frozenset({FULL_OBJECT, COMPOSITE} if both else {COMPOSITE})


def crc(data: bytes, algorithm: str) -> str:
    """The CRC of data in Base64, as S3 writes it, for an algorithm of `COMPUTED_HERE`."""
    size = LENGTHS[algorithm]
    rest = ones = (1 << 8 * size) - 1
    pieces = len(data) // _PIECE
    if pieces >= _FEWEST_PIECES:
        rest = _of_pieces(data[: pieces * _PIECE], rest, algorithm)
        data = data[pieces * _PIECE :]
    tables = _tables(algorithm)
    whole = len(data) // size * size
    shifts = [(16 * index, table) for index, table in enumerate(tables)]
    for at in range(0, whole, size):
        rest ^= int.from_bytes(data[at : at + size], "little")
        found = 0
        for shift, table in shifts:
            found ^= table[rest >> shift & 0xFFFF]
        rest = found
    for byte in data[whole:]:
        rest = _one_byte((rest ^ byte) & 0xFF, _POLYNOMIALS[algorithm]) ^ (rest >> 8)
    return _written(rest ^ ones, size)


def _of_pieces(data: bytes, rest: int, algorithm: str) -> int:
    """The remainder after whole pieces of data, from the remainder before them.

    All pieces advance together by a byte. Their remainders are one number: the lowest bytes of
    all, then the next bytes, and so on.
    """
    size, count = LENGTHS[algorithm], len(data) // _PIECE
    planes = _planes(algorithm)
    lowest = (1 << 8 * count) - 1
    # Only the first piece has a remainder before it.
    state = sum((rest >> 8 * byte & 0xFF) << 8 * byte * count for byte in range(size))
    for at in range(_PIECE):
        column = int.from_bytes(data[at::_PIECE], "little")
        index = ((state & lowest) ^ column).to_bytes(count, "little")
        found = b"".join(index.translate(plane) for plane in planes)
        state = (state >> 8 * count) ^ int.from_bytes(found, "little")
    ends = state.to_bytes(size * count, "little")
    moved = _moved_by_a_piece(algorithm)
    rest = 0
    for piece in range(count):
        before = rest.to_bytes(size, "little")
        rest = int.from_bytes(ends[piece::count], "little")
        for byte, table in zip(before, moved, strict=True):
            rest ^= table[byte]
    return rest


@functools.cache
def _planes(algorithm: str) -> tuple[bytes, ...]:
    """Of what each byte does to a remainder: the lowest bytes, the next bytes, and so on."""
    rows = [_one_byte(value, _POLYNOMIALS[algorithm]) for value in range(256)]
    return tuple(bytes(row >> 8 * at & 0xFF for row in rows) for at in range(LENGTHS[algorithm]))


@functools.cache
def _moved_by_a_piece(algorithm: str) -> tuple[list[int], ...]:
    """For each byte of a remainder and its values: the remainder after a piece of zeros."""
    size, polynomial = LENGTHS[algorithm], _POLYNOMIALS[algorithm]
    power = _power_of_x(8 * _PIECE, 8 * size, polynomial)
    tables = []
    for at in range(size):
        bits = [_product(1 << 8 * at + bit, power, 8 * size, polynomial) for bit in range(8)]
        table = [0] * 256
        for value in range(1, 256):
            table[value] = table[value & (value - 1)] ^ bits[(value & -value).bit_length() - 1]
        tables.append(table)
    return tuple(tables)


def composite(values: Iterable[str], algorithm: str) -> str | None:
    """The checksum of the parts' checksums, without the number of parts."""
    return checksum(b"".join(map(base64.b64decode, values)), algorithm)


def joined_crc(first: str, second: str, second_bytes: int, algorithm: str) -> str:
    """The CRC of two pieces, from those of each and the bytes of the second."""
    size = LENGTHS[algorithm]
    polynomial = _POLYNOMIALS[algorithm]
    power = _power_of_x(8 * second_bytes, 8 * size, polynomial)
    return _written(_product(_read(first), power, 8 * size, polynomial) ^ _read(second), size)


def _read(value: str) -> int:
    return int.from_bytes(base64.b64decode(value), "big")


def _written(value: int, size: int) -> str:
    return base64.b64encode(value.to_bytes(size, "big")).decode()


@functools.lru_cache(maxsize=64)
def _power_of_x(exponent: int, bits: int, polynomial: int) -> int:
    """x to that power, modulo the polynomial; the highest bit is the coefficient of 1."""
    power, square = 1 << bits - 1, 1 << bits - 2
    while exponent:
        if exponent & 1:
            power = _product(power, square, bits, polynomial)
        square = _product(square, square, bits, polynomial)
        exponent >>= 1
    return power


def _product(one: int, other: int, bits: int, polynomial: int) -> int:
    """The product of two polynomials, modulo the polynomial."""
    product = 0
    for bit in range(bits - 1, -1, -1):
        if one >> bit & 1:
            product ^= other
        other = (other >> 1) ^ (polynomial if other & 1 else 0)
    return product


def _one_byte(value: int, polynomial: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (polynomial if value & 1 else 0)
    return value


@functools.cache
def _tables(algorithm: str) -> tuple[list[int], ...]:
    """What each two bytes of a word do to the remainder; the first two are shifted furthest."""
    size = LENGTHS[algorithm]
    rows = [[_one_byte(value, _POLYNOMIALS[algorithm]) for value in range(256)]]
    for _ in range(size - 1):
        rows.append([rows[0][each & 0xFF] ^ (each >> 8) for each in rows[-1]])
    return tuple(
        [
            rows[size - 1 - 2 * part][two & 0xFF] ^ rows[size - 2 - 2 * part][two >> 8]
            for two in range(65536)
        ]
        for part in range(size // 2)
    )
