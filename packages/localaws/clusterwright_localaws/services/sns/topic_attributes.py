"""Values of topics' attributes that SNS refuses.

https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html; the texts are ours.
"""

from __future__ import annotations

import json
from typing import Any, Final

from clusterwright_localaws.services.sns.arguments import invalid

LARGEST_BYTES: Final = 262_144
"""Bytes of a message with its attributes, or of all messages of a batch, by default."""
_SIZES: Final = range(1024, 1_048_576 + 1)
_WORDS: Final = {
    "FifoThroughputScope": ("Topic", "MessageGroup"),
    "SignatureVersion": ("1", "2"),
    "TracingConfig": ("PassThrough", "Active"),
}
_RATE: Final = "SuccessFeedbackSampleRate"
_RATES: Final = range(101)


def check_attribute(name: str, value: str) -> None:
    """Check an attribute that a request sets; an empty text resets it.

    Raises
    ------
    AwsError
        InvalidParameter
    """
    if name == "Policy" or (name == "DeliveryPolicy" and value):
        _check_object(name, value)
    elif not value:
        return
    elif name in _WORDS and value not in _WORDS[name]:
        raise invalid(f"{name}: {value} is not one of {', '.join(_WORDS[name])}")
    elif name.endswith(_RATE) and not _is_in(value, _RATES):
        raise invalid(f"{name}: {value} is not between 0 and 100")
    elif name == "MaximumMessageSize" and not _is_in(value, _SIZES):
        raise invalid(f"{name}: {value} is not between {_SIZES[0]} and {_SIZES[-1]}")


def largest_bytes(topic: Any) -> int:
    """Return how many bytes a message to a topic has at most; None is no topic."""
    return int(getattr(topic, "maximum_message_size", None) or LARGEST_BYTES)


def _is_in(value: str, numbers: range) -> bool:
    return value.isdecimal() and int(value) in numbers


def _check_object(name: str, value: str) -> None:
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise invalid(f"{name}: not a JSON object")
