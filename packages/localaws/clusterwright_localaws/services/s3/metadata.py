"""Values of user-defined metadata with characters outside ASCII, which headers cannot have.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html: they are decoded by
RFC 2047 when they are stored, and encoded by it when they are answered. Which of its encodings is
answered was recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import Final

_MARK: Final = "=?"
_SPECIAL: Final = frozenset(b"=_?")
_WHITESPACE: Final = frozenset("\t\r\n")


def decoded(value: str) -> str:
    """Return a value without RFC 2047's encoding; what cannot be decoded stays as it is."""
    if _MARK not in value:
        return value
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, LookupError, ValueError):
        return value


def encoded(value: str) -> str:
    """Return a value as a header can have it.

    Q is the encoding of values of which more than half is printable ASCII, B that of others.
    """
    others = sum(not _is_plain(one) for one in value)
    if not others:
        return value
    data = value.encode("utf-8", "replace")
    if 2 * others >= len(value):
        return f"=?UTF-8?B?{base64.b64encode(data).decode()}?="
    return f"=?UTF-8?Q?{''.join(map(_quoted, data))}?="


def for_headers(value: str) -> str:
    """Return the value of a system-defined header: characters beyond Latin-1 are spaces."""
    return "".join(one if ord(one) <= 0xFF else " " for one in value)


def _is_plain(character: str) -> bool:
    return " " <= character <= "~" or character in _WHITESPACE


def _quoted(byte: int) -> str:
    if byte == ord(" "):
        return "_"
    plain = ord(" ") < byte < 0x7F and byte not in _SPECIAL
    return chr(byte) if plain else f"={byte:02X}"
