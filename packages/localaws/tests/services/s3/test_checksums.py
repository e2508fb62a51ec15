"""Tests of services.s3.checksums."""

from __future__ import annotations

import base64
import binascii
import random

import pytest

from clusterwright_localaws.services.s3 import checksums


# The checks of NVM Express and of RFC 3720's polynomial (its appendix B.4: 32 bytes of zeros).
def test_the_check_values_of_the_standards() -> None:
    assert checksums.crc(b"123456789", "CRC64NVME") == "rosUhgp5mIg="
    assert checksums.crc(bytes(32), "CRC32C") == "ipE2qg=="


@pytest.mark.parametrize("algorithm", ["CRC32", "CRC32C", "CRC64NVME"])
def test_joined_pieces(algorithm: str) -> None:
    data = bytes(range(256)) * 5
    whole = checksums.checksum(data, algorithm)
    for at in (0, 1, 8, 700, len(data)):
        first, second = (checksums.checksum(one, algorithm) for one in (data[:at], data[at:]))
        assert first
        assert second
        assert checksums.joined_crc(first, second, len(data) - at, algorithm) == whole


@pytest.mark.parametrize("algorithm", ["CRC32C", "CRC64NVME"])
def test_data_of_many_pieces(algorithm: str) -> None:
    data = random.Random(1).randbytes(300_001)
    # Python's library has this one.
    expected = binascii.crc32(data).to_bytes(4, "big")
    assert base64.b64decode(checksums.crc(data, "CRC32")) == expected
    joined = checksums.crc(b"", algorithm)
    for at in range(0, len(data), 60_000):
        piece = data[at : at + 60_000]
        value = checksums.crc(piece, algorithm)
        joined = checksums.joined_crc(joined, value, len(piece), algorithm)
    assert checksums.crc(data, algorithm) == joined


def test_what_is_not_computed() -> None:
    assert checksums.checksum(b"", "XXHASH3") is None
    assert checksums.checksum(bytes(checksums.MOST_BYTES + 1), "CRC64NVME") is None
    assert checksums.checksum(b"", "CRC32") == "AAAAAA=="
