"""Messages of moto's errors, without what only moto's source or an SDK writes into them.

Some have the beginning that SDKs put before a service's message, and the indentation of moto's
source.
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
_XML_MESSAGE: Final = re.compile(r"(?<=<Message>)[^<]+(?=</Message>)")


def with_clean_message(answered: Answer) -> Answer:
    """Return an answer of moto, the message of an error as the service writes it."""
    status, headers, body = answered
    text = body.decode(errors="replace") if isinstance(body, bytes) else body
    if status < FIRST_ERROR or not ("An error occurred (" in text or _INDENTATION.search(text)):
        return answered
    if text.startswith("{"):
        clean = _clean_json(text)
    else:
        clean = _XML_MESSAGE.sub(lambda found: _clean(found.group()), text)
    if clean == text:
        return answered
    others = {name: value for name, value in headers.items() if name.lower() != "content-length"}
    return status, others, clean


def _clean_json(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return json.dumps(
        {
            name: _clean(value) if name.lower() == "message" and isinstance(value, str) else value
            for name, value in found.items()
        }
    )


def _clean(message: str) -> str:
    return _INDENTATION.sub(" ", _BEGINNING.sub("", message))
