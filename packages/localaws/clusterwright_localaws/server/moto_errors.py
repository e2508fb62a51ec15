"""Messages of moto's errors as the services write them.

Some have the beginning that SDKs put before a service's message, and the indentation of moto's
source; of others users have published the service's own text (databrickslabs/ucx#1711,
DataBiosphere/toil#4836, external-secrets/kubernetes-external-secrets#415).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from clusterwright_localaws.server.wire import FIRST_ERROR

if TYPE_CHECKING:
    from clusterwright_localaws.server.wire import Answer

_BEGINNING: Final = re.compile(
    r"\A\s*(\w+: )?An error occurred \(\w+\)\s+when calling\s+the \w+ operation(:\s*)?"
)
# Values that a message repeats may have a few spaces of their own.
_INDENTATION: Final = re.compile(r"\s*[ \t]{8,}")
_NAME: Final = r"([\w+=,.@-]+)"
_PUBLISHED: Final = {
    "iam": (
        (re.compile(rf"\ARole {_NAME} not found\Z"), r"The role with name \1 cannot be found."),
        (
            re.compile(rf"\AInstance profile {_NAME} not found\Z"),
            r"Instance Profile \1 cannot be found.",
        ),
        (re.compile(rf"\AGroup {_NAME} not found\Z"), r"The group with name \1 cannot be found."),
        (re.compile(r"\APolicy (arn:\S+) not found\Z"), r"Policy \1 was not found."),
        (
            re.compile(rf"\APolicy Document {_NAME} not attached to role {_NAME}\Z"),
            r"The role policy with name \1 cannot be found.",
        ),
    ),
    "secretsmanager": (
        (
            re.compile(
                r"\AYou tried to perform the operation on a secret that's currently marked "
                r"deleted\.\Z"
            ),
            "You can't perform this operation on the secret because it was marked for deletion.",
        ),
    ),
}
_XML_MESSAGE: Final = re.compile(r"(?<=<Message>)[^<]+(?=</Message>)")


def with_clean_message(service: str, answered: Answer) -> Answer:
    """Return an answer of moto, the message of an error as the service writes it."""
    status, headers, body = answered
    if status < FIRST_ERROR:
        return answered
    text = body.decode(errors="replace") if isinstance(body, bytes) else body
    if text.startswith("{"):
        clean = _clean_json(service, text)
    else:
        clean = _XML_MESSAGE.sub(lambda found: _clean(service, found.group()), text)
    if clean == text:
        return answered
    others = {name: value for name, value in headers.items() if name.lower() != "content-length"}
    return status, others, clean


def _clean_json(service: str, text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    clean = {
        name: (
            _clean(service, value)
            if name.lower() == "message" and isinstance(value, str)
            else value
        )
        for name, value in found.items()
    }
    return text if clean == found else json.dumps(clean)


def _clean(service: str, message: str) -> str:
    clean = _INDENTATION.sub(" ", _BEGINNING.sub("", message))
    for pattern, text in _PUBLISHED.get(service, ()):
        if pattern.match(clean):
            return pattern.sub(text, clean)
    return clean
