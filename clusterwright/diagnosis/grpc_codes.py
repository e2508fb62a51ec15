"""What the status codes of gRPC say, where a message has no words of its own.

Source: grpc/grpc, doc/statuscodes.md (read 2026-11).
"""

from __future__ import annotations

import re
from typing import Final

CODES: Final = {
    "DeadlineExceeded": "something did not answer or end in time",
    "Unavailable": "a service cannot be reached or does not run",
    "Unauthenticated": "credentials are missing, invalid or have expired",
    "PermissionDenied": "access is denied",
    "NotFound": "something that the program needs does not exist",
    "AlreadyExists": "something exists already",
    "ResourceExhausted": "a quota, the disk or memory is used up, or a message is too large",
    "FailedPrecondition": "something that it depends on is not ready or does not run",
    "Aborted": "another operation on the same thing came first",
    "OutOfRange": "a value is outside its range",
    "Unimplemented": "the other end does not have this function: its version is older or newer",
    "InvalidArgument": "a setting, an argument or an input of the program is not valid",
    "DataLoss": "data was lost or is damaged",
}
"""Without Unknown, Internal and Canceled, which say nothing."""

_CODE: Final = re.compile(r"\brpc error: code = (?P<go>\w+)|\bStatusCode\.(?P<python>[A-Z_]+)")


def meaning(text: str) -> str | None:
    """What the last status in a text says, that of the innermost service; None without one."""
    said = None
    for found in _CODE.finditer(text):
        name = found["go"] or found["python"].title().replace("_", "")
        said = CODES.get(name, said)
    return said
