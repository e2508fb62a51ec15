"""References in a template: the edges of the dependency graph.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

PSEUDO_PARAMETERS = frozenset(
    {
        "AWS::AccountId",
        "AWS::NoValue",
        "AWS::NotificationARNs",
        "AWS::Partition",
        "AWS::Region",
        "AWS::StackId",
        "AWS::StackName",
        "AWS::URLSuffix",
    }
)

_TOKEN = re.compile(r"\$\{([^!${}][^${}]*)\}")


@dataclass(frozen=True)
class Reference:
    """One use of a name, and what uses it.

    `kind` is ``ref``, ``attribute``, ``if``, ``condition``, ``mapping`` or ``import``.
    `attribute` is the attribute's full name of a ``Fn::GetAtt``, or None where it is computed.
    """

    kind: str
    name: str
    attribute: str | None = None


def references(value: Any) -> Iterator[Reference]:
    """Yield every reference in `value`, also those in branches that do not apply."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
        return
    if not isinstance(value, Mapping):
        return
    if len(value) == 1:
        ((key, argument),) = value.items()
        found = _of_function(key, argument)
        if found is not None:
            yield from found
            return
    for item in value.values():
        yield from references(item)


def sub_tokens(text: str) -> list[str]:
    """Return the names in a ``Fn::Sub`` text, without the literal ``${!Name}`` ones."""
    return [name.strip() for name in _TOKEN.findall(text)]


def split_attribute(argument: Any) -> tuple[str, Any]:
    """Return resource and attribute of a ``Fn::GetAtt`` argument in either form."""
    if isinstance(argument, str):
        name, _, attribute = argument.partition(".")
        return name, attribute
    if isinstance(argument, list) and len(argument) >= 2 and isinstance(argument[0], str):
        rest = argument[1:]
        if all(isinstance(part, str) for part in rest):
            return argument[0], ".".join(rest)
        return argument[0], rest[0]
    return "", None


def _of_function(key: str, argument: Any) -> Iterator[Reference] | None:
    if key == "Ref" and isinstance(argument, str):
        return iter([Reference("ref", argument)])
    if key == "Fn::GetAtt":
        name, attribute = split_attribute(argument)
        if isinstance(attribute, str):
            return iter([Reference("attribute", name, attribute)])
        return _with(Reference("attribute", name), attribute)
    if key == "Fn::Sub":
        return _of_sub(argument)
    if key == "Fn::If" and isinstance(argument, list) and argument:
        if isinstance(argument[0], str):
            return _with(Reference("if", argument[0]), argument[1:])
        return None
    if key == "Condition" and isinstance(argument, str):
        return iter([Reference("condition", argument)])
    if key == "Fn::FindInMap" and isinstance(argument, list) and argument:
        if isinstance(argument[0], str):
            return _with(Reference("mapping", argument[0]), argument[1:])
        return None
    if key == "Fn::ImportValue" and isinstance(argument, str):
        return iter([Reference("import", argument)])
    return None


def _with(first: Reference, rest: Any) -> Iterator[Reference]:
    yield first
    yield from references(rest)


def _of_sub(argument: Any) -> Iterator[Reference]:
    text, variables = (
        (argument[0], argument[1])
        if isinstance(argument, list) and len(argument) == 2
        else (argument, {})
    )
    if isinstance(variables, Mapping):
        yield from references(list(variables.values()))
    if not isinstance(text, str):
        return
    for token in sub_tokens(text):
        if isinstance(variables, Mapping) and token in variables:
            continue
        name, dot, attribute = token.partition(".")
        if dot:
            yield Reference("attribute", name, attribute)
        else:
            yield Reference("ref", token)
