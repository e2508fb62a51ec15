"""Attributes of messages: names, types, values and their size.

https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
Messages as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_LONGEST_NAME_BYTES: Final = 256
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_.-]")
# The member that has the value of an attribute, and its name in messages, by the type.
_FIELDS: Final = {
    "String": ("StringValue", "String"),
    "Number": ("StringValue", "String"),
    "Binary": ("BinaryValue", "Binary"),
}


def size_of(message: Mapping[str, Any]) -> int:
    """Return the bytes of a message that count: its text, and all that its attributes have."""
    total = len(message["Message"].encode())
    for name, attribute in (message.get("MessageAttributes") or {}).items():
        total += len(name.encode())
        for value in attribute.values():
            total += len(value if isinstance(value, bytes) else str(value).encode())
    return total


def delivered_form(attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the attributes of a message as subscribers get them; binary values in base64."""
    found = {}
    for name, attribute in attributes.items():
        value = attribute.get("StringValue")
        if value is None:
            value = base64.b64encode(attribute["BinaryValue"]).decode()
        found[name] = {"Type": str(attribute["DataType"]), "Value": value}
    return found


def check_attributes(attributes: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse the attributes of a message that SNS does not take.

    Raises
    ------
    AwsError
        ParameterValueInvalid.
    """
    for name, attribute in attributes.items():
        _check_name(name)
        kind = str(attribute["DataType"])
        prefix, dot, label = kind.partition(".")
        if prefix not in _FIELDS or (dot and not label):
            raise _refusal(
                f"The message attribute '{name}' has an invalid message attribute type, the set "
                "of supported type prefixes is Binary, Number, and String."
            )
        member, field = _FIELDS[prefix]
        if attribute.get(member):
            if prefix == "Number" and not _NUMBER.fullmatch(attribute[member]):
                # The message as in moto's tests, which quote AWS.
                raise _refusal(f"Could not cast message attribute '{name}' value to number.")
            continue
        if member not in attribute and ("StringValue" in attribute or "BinaryValue" in attribute):
            raise _refusal(
                f"The message attribute '{name}' with type '{kind}' must use field '{field}'."
            )
        raise _refusal(
            f"The message attribute '{name}' must contain non-empty message attribute value for "
            f"message attribute type '{kind}'."
        )


def _check_name(name: str) -> None:
    if len(name.encode()) >= _LONGEST_NAME_BYTES:
        raise _refusal(
            f"Length of message attribute name must be less than {_LONGEST_NAME_BYTES} bytes."
        )
    other = _NOT_IN_NAMES.search(name)
    if other is not None:
        raise _refusal(
            f"Invalid non-alphanumeric character '#x{ord(other.group()):X}' was found in the "
            "message attribute name. Can only include alphanumeric characters, hyphens, "
            "underscores, or dots."
        )
    for place, problem in ((name[:1], "starting"), (name[-1:], "ending")):
        if place == ".":
            raise _refusal(
                f"Invalid message attribute name {problem} with character '.' was found."
            )
    if ".." in name:
        raise _refusal("Message attribute name can not have successive '.' character.")


def _refusal(message: str) -> AwsError:
    return AwsError("ParameterValueInvalid", message, 400)
