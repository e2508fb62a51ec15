"""Tests of services.s3.checksums."""

from __future__ import annotations

from clusterwright_localaws.services.s3 import checksums


def test_the_check_value_of_the_standard() -> None:
    assert checksums.crc64nvme(b"123456789") == "rosUhgp5mIg="


def test_joined_pieces() -> None:
    data = bytes(range(256)) * 5
    whole = checksums.crc64nvme(data)
    for at in (0, 1, 8, 700, len(data)):
        first, second = checksums.crc64nvme(data[:at]), checksums.crc64nvme(data[at:])
        assert checksums.joined_crc64nvme(first, second, len(data) - at) == whole


def test_what_is_not_computed() -> None:
    assert checksums.checksum(b"", "CRC32C") is None
    assert checksums.checksum(bytes(checksums.MOST_BYTES + 1), "CRC64NVME") is None
    assert checksums.checksum(b"", "CRC32") == "AAAAAA=="
