"""moto's version ids are UUIDs; those of S3 have another form, and others are refused.

Form and refusals recorded on AWS: docs/reference/probes.md, source `localstack`. S3 knows an id
that it never issued; here the last characters of an id are a check of the others.
"""

from __future__ import annotations

import hashlib
import string
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: version ids have 32 letters, digits, dots and underscores"
NULL: Final = "null"
_ALPHABET: Final = string.ascii_letters + string.digits + "._"
_LENGTH: Final = 32
_CHECK_LENGTH: Final = 8


def is_version_id(text: str) -> bool:
    """Whether an id may be one of a version: `null`, or one of ours."""
    body, check = text[:-_CHECK_LENGTH], text[-_CHECK_LENGTH:]
    return text == NULL or (len(text) == _LENGTH and check == _characters(body, _CHECK_LENGTH))


def version_id(seed: str) -> str:
    """Return the version id that belongs to a seed."""
    body = _characters(seed, _LENGTH - _CHECK_LENGTH)
    return body + _characters(body, _CHECK_LENGTH)


def apply() -> None:
    from moto.s3.models import FakeDeleteMarker, FakeKey

    new_key = FakeKey.__init__
    new_marker = FakeDeleteMarker.__init__

    def _new_key(self: Any, *arguments: Any, **named: Any) -> None:
        given = named.get("version_id")
        if runtime().active and given not in (None, NULL):
            named["version_id"] = version_id(given)
        new_key(self, *arguments, **named)

    def _new_marker(self: Any, *arguments: Any, **named: Any) -> None:
        new_marker(self, *arguments, **named)
        if runtime().active:
            self._version_id = version_id(self._version_id)

    FakeKey.__init__ = _new_key  # type: ignore[method-assign]
    FakeDeleteMarker.__init__ = _new_marker  # type: ignore[method-assign]


def _characters(seed: str, count: int) -> str:
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:count])
