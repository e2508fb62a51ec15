"""What deployment programs print about failed resources: rows of `cdk deploy`, lines of eksctl and
ParallelCluster, as the stack events that they are.

Forms: aws-cdk, stack-activity-monitor; eksctl, stack manager; ParallelCluster 2, `pcluster create`
(threads in docs/explanations/diagnosed-failures-fifteenth-hold-out.yaml).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TYPE: Final = r"(?P<type>(?:AWS|Custom|Alexa)::[\w:@-]{2,100})"
_ROW: Final = re.compile(
    rf"\b(?:CREATE|UPDATE|DELETE|IMPORT)_FAILED\s*\|\s*{_TYPE}\s*\|\s*"
    r"(?P<name>\S{1,300}(?:\s\(\w{1,200}\))?)(?P<reason>\s.*)?$"
)
_EKSCTL: Final = re.compile(
    rf"{_TYPE}/(?P<name>[\w-]{{1,200}}): (?:CREATE|UPDATE|DELETE)_FAILED \W{{1,3}}\s?\"?"
    r"(?P<reason>[^\n]+?)\"?$"
)
_PCLUSTER: Final = re.compile(rf"^\s*- {_TYPE} (?P<name>[\w-]{{1,200}}) (?P<reason>\S.*)$")
_ANOTHER: Final = re.compile(
    r"_(?:FAILED|COMPLETE|IN_PROGRESS)\b|^\s*(?:at|\\_)\s|^\s*$|^\[\d+%\]|"
    r"^\W*\w+: (?:deploying|creating)"
)
_FORMS: Final = (_ROW, _EKSCTL, _PCLUSTER)


@dataclass(frozen=True)
class FailedResource:
    """A resource that CloudFormation could not create, change or delete, and the reason."""

    type: str
    name: str
    reason: str
    is_failed: bool = True
    """Whether the line says so; ParallelCluster's form has no word for it."""


def read(text: str) -> FailedResource | None:
    """The failed resource of a line; None for another line."""
    if "::" not in text:
        return None
    for form in _FORMS:
        found = form.search(text)
        if found is not None:
            reason = (found.group("reason") or "").strip()
            name = found.group("name").split()[0]
            return FailedResource(found.group("type"), name, reason, form is not _PCLUSTER)
    return None


def goes_on(text: str) -> bool:
    """Whether a line can be the reason of the row before it, which had none."""
    return not _ANOTHER.search(text)
