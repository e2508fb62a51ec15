"""Stacks whose templates a recording does not have.

Objects are recorded as their size, and so is a template that cannot be read: the local AWS cannot
create the stack, and what AWS answered about it cannot be compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_STACK: Final = re.compile(r"arn:[^:]*:cloudformation:[^:]*:\d*:stack/([^/]+)(?:/.*)?")


class LostTemplates:
    """The stacks, and the change sets, that were made from such templates so far."""

    def __init__(self) -> None:
        self._stacks: dict[str, int] = {}
        self._change_sets: set[str] = set()

    def reason(self, number: int, line: Mapping[str, Any]) -> str | None:
        """Return why a call cannot be replayed; None if it can."""
        if line["service"] != "cloudformation":
            return None
        parameters = line["parameters"]
        name = _name(parameters.get("StackName"))
        if "TemplateURL" in parameters or isinstance(parameters.get("TemplateBody"), Mapping):
            if name:
                self._stacks.setdefault(name, number)
            self._change_sets.add(str((line.get("answer") or {}).get("Id")))
            return "the recording does not have the template, only its size"
        if name is not None and name in self._stacks:
            return (
                f"call {self._stacks[name]} made the stack; its template is not in the recording"
            )
        if parameters.get("ChangeSetName") in self._change_sets:
            return "the change set's template is not in the recording"
        if self._stacks and not name and _lists_stacks(str(line["operation"])):
            return "stacks are missing whose templates are not in the recording"
        return None

    def named(self, parameters: Any) -> str | None:
        """Return why a call with these parameters may differ: they name a missing stack."""
        text = json.dumps(parameters, default=str)
        for name, number in self._stacks.items():
            if name in text:
                return f"call {number} made {name}; its template is not in the recording"
        return None


def _name(given: Any) -> str | None:
    if not isinstance(given, str):
        return None
    found = _STACK.fullmatch(given)
    return found[1] if found else given


def _lists_stacks(operation: str) -> bool:
    return operation in ("DescribeStacks", "ListStacks", "ListExports", "ListImports")
