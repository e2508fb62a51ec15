"""Checksums of the parts of uploads, as they were given with the parts."""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.services.s3 import checksums

_MARK: Final = "given_checksum"


def keep(part: Any, algorithm: str, value: str) -> None:
    """Keep the value that a part of moto's was uploaded with."""
    setattr(part, _MARK, (algorithm, value))


def is_kept(part: Any, algorithm: str) -> bool:
    return bool(getattr(part, _MARK, ("", ""))[0] == algorithm)


def checksum_of(part: Any, algorithm: str) -> str | None:
    """Return a part's checksum in Base64; `None` if it was not given and is not computed."""
    if is_kept(part, algorithm):
        return str(getattr(part, _MARK)[1])
    return checksums.checksum(part.value, algorithm)
