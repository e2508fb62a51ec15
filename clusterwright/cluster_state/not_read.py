"""What could not be read of a deployed cluster, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from clusterwright.aws.errors import AwsUnavailable

T = TypeVar("T")


@dataclass(frozen=True)
class NotRead:
    """One part of a cluster's state that is unknown.

    Attributes
    ----------
    what:
        The part, such as `the nodes of the cluster prod`.
    reason:
        Why it is unknown, in a sentence.
    hint:
        What to do about it; None where nothing can be said.
    iam_action:
        The IAM action that is missing; None for other reasons.
    """

    what: str
    reason: str
    hint: str | None = None
    iam_action: str | None = None

    @classmethod
    def from_error(cls, what: str, error: AwsUnavailable) -> NotRead:
        """The part that an AWS API did not return."""
        denied = error.iam_action if error.reason == "denied" else None
        return cls(what, error.message, error.hint, denied)


def known(value: T | NotRead | None) -> T | None:
    """Return a value that was read; None for one that was not read or does not exist."""
    return None if isinstance(value, NotRead) else value
