"""Checksums of objects: what can be computed of them, and those of joined parts.

CRC32C, XXHash and others that Python's library lacks are not computed.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import struct
from collections.abc import Callable, Mapping
from typing import Final

CRC64NVME: Final = "CRC64NVME"
_POLYNOMIAL: Final = 0x9A6C9329AC4BC9B5  # reflected; NVM Express NVM Command Set, CRC64NVME
_ONES: Final = (1 << 64) - 1
_BYTES: Final = 8
# In Python it takes about a second for some MiB.
MOST_BYTES: Final = 1 << 20
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
    CRC64NVME: _BYTES,
    "MD5": 16,
    "SHA1": 20,
    "SHA256": 32,
    "SHA512": 64,
}


def checksum(data: bytes, algorithm: str) -> str | None:
    """The checksum of data in Base64; `None` where it cannot be computed, or not in short time."""
    if algorithm == CRC64NVME:
        return crc64nvme(data) if len(data) <= MOST_BYTES else None
    digest = _DIGESTS.get(algorithm)
    return None if digest is None else base64.b64encode(digest(data)).decode()


def crc64nvme(data: bytes) -> str:
    """The CRC64NVME of data in Base64, as S3 writes it."""
    first, second, third, fourth = _tables()
    crc = _ONES
    whole = len(data) // _BYTES * _BYTES
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        crc ^= word
        crc = (
            first[crc & 0xFFFF]
            ^ second[crc >> 16 & 0xFFFF]
            ^ third[crc >> 32 & 0xFFFF]
            ^ fourth[crc >> 48]
        )
    for byte in data[whole:]:
        crc = _one_byte((crc ^ byte) & 0xFF) ^ (crc >> 8)
    return _written(crc ^ _ONES)


def joined_crc64nvme(first: str, second: str, second_bytes: int) -> str:
    """The CRC64NVME of two pieces, from those of each and the bytes of the second."""
    shifted = _product(_read(first), _power_of_x(8 * second_bytes))
    return _written(shifted ^ _read(second))


def _read(value: str) -> int:
    return int.from_bytes(base64.b64decode(value), "big")


def _written(crc: int) -> str:
    return base64.b64encode(crc.to_bytes(_BYTES, "big")).decode()


@functools.lru_cache(maxsize=64)
def _power_of_x(exponent: int) -> int:
    """x to that power, modulo the polynomial; the highest bit is the coefficient of 1."""
    power, square = 1 << 63, 1 << 62
    while exponent:
        if exponent & 1:
            power = _product(power, square)
        square = _product(square, square)
        exponent >>= 1
    return power


def _product(one: int, other: int) -> int:
    """The product of two polynomials, modulo the polynomial."""
    product = 0
    for bit in range(63, -1, -1):
        if one >> bit & 1:
            product ^= other
        other = (other >> 1) ^ (_POLYNOMIAL if other & 1 else 0)
    return product


def _one_byte(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
    return value


@functools.cache
def _tables() -> tuple[list[int], ...]:
    """What each two bytes of a word do to the remainder; the first two are shifted furthest."""
    rows = [[_one_byte(value) for value in range(256)]]
    for _ in range(7):
        rows.append([rows[0][each & 0xFF] ^ (each >> 8) for each in rows[-1]])
    return tuple(
        [rows[7 - 2 * part][two & 0xFF] ^ rows[6 - 2 * part][two >> 8] for two in range(65536)]
        for part in range(4)
    )
