"""Checks that requests of SNS share: ARNs, topics and tags.

Messages as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError

_PARTS_OF_AN_ARN: Final = 6


def invalid(text: str) -> AwsError:
    """Return the refusal of an argument."""
    return AwsError("InvalidParameter", f"Invalid parameter: {text}", 400)


def not_found(what: str) -> AwsError:
    """Return the refusal of a name that does not exist."""
    return AwsError("NotFound", f"{what} does not exist", 404)


def parts_of(name: str, arn: str) -> list[str]:
    """Return the parts of the ARN that is given as parameter `name`.

    Raises
    ------
    AwsError
        InvalidParameter: it has too few.
    """
    parts = arn.split(":")
    if len(parts) < _PARTS_OF_AN_ARN:
        raise invalid(
            f"{name} Reason: An ARN must have at least {_PARTS_OF_AN_ARN} elements, not "
            f"{len(parts)}"
        )
    return parts


def topic_of(call: Call, name: str = "TopicArn") -> Any:
    """Return moto's topic that a request names; it may be one of another account.

    Raises
    ------
    AwsError
        InvalidParameter: it is no ARN, or one of another region. NotFound: there is none.
    """
    arn = str(call.parameters[name])
    parts = parts_of(name, arn)
    if parts[3] != call.region:
        raise invalid(name)
    backend = moto_state.existing("sns", parts[4], call.region)
    topic = backend.topics.get(arn) if backend is not None else None
    if topic is None:
        raise not_found("Topic")
    return topic


def backend_of(call: Call) -> Any:
    """Return moto's state of SNS in the account and region of a call."""
    return moto_state.backend("sns", call.account, call.region)


def check_tags(tags: Sequence[Mapping[str, str]]) -> None:
    """Refuse tags with a key twice.

    Raises
    ------
    AwsError
        InvalidParameter.
    """
    keys = [tag["Key"] for tag in tags]
    if len(set(keys)) < len(keys):
        raise invalid("Duplicated keys are not allowed.")


def text(value: Any) -> str:
    """Return the value of an attribute as SNS writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
