"""`Fn::ForEach` of the transform AWS::LanguageExtensions: parts of a template once for each value.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-foreach.html
The values are text, parameters, and maps of the template that are found by text or parameters; AWS
takes the results of more functions. The messages of refusals are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.cloudformation.errors import ValidationError

FOR_EACH: Final = "Fn::ForEach"
_MOST_CHARACTERS: Final = 1_000_000
"""Of the text that the loops of one template make here: CloudFormation takes templates of 1 MB.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
"""
_CHARACTERS_OF_A_VALUE: Final = 16
"""What each value of a loop counts at least, so that loops around nothing end too."""
_NOT_ALPHANUMERIC: Final = re.compile(r"[^A-Za-z0-9]")


class _Loops:
    def __init__(self, body: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.maps = body.get("Mappings") or {}
        self.values = values
        self.characters = 0

    def expand(self, node: Any, bound: Mapping[str, str]) -> Any:
        if isinstance(node, str):
            text = _replaced(node, bound)
            if bound:
                self._count(len(text))
            return text
        if isinstance(node, list):
            return [self.expand(item, bound) for item in node]
        if not isinstance(node, Mapping):
            return node
        if len(node) == 1 and isinstance(node.get("Ref"), str) and node["Ref"] in bound:
            return bound[node["Ref"]]
        found: dict[str, Any] = {}
        for key, value in node.items():
            if bound:
                self._count(len(key))
            if key.startswith(FOR_EACH):
                self._loop(key, value, bound, found)
            else:
                _put(found, _replaced(key, bound), self.expand(value, bound))
        return found

    def _loop(self, name: str, loop: Any, bound: Mapping[str, str], found: dict[str, Any]) -> None:
        if (
            not isinstance(loop, list)
            or len(loop) != 3
            or not isinstance(loop[0], str)
            or not isinstance(loop[2], Mapping)
        ):
            raise ValidationError(
                f"Template error: {name} needs an identifier, a collection and an object."
            )
        identifier, collection, part = loop
        if identifier in bound or identifier in self.values:
            raise ValidationError(
                f"Template error: the identifier {identifier} of {name} is a name already."
            )
        for value in self._items(name, collection, bound):
            self._count(_CHARACTERS_OF_A_VALUE)
            for key, item in self.expand(part, {**bound, identifier: value}).items():
                _put(found, key, item)

    def _count(self, characters: int) -> None:
        self.characters += characters
        if self.characters > _MOST_CHARACTERS:
            raise ValidationError(
                f"Template error: {FOR_EACH} makes more than {_MOST_CHARACTERS:,} characters."
            )

    def _items(self, name: str, collection: Any, bound: Mapping[str, str]) -> list[str]:
        found = self._value(collection, bound)
        if isinstance(found, list):
            items: list[Any] = []
            for each in found:
                value = self._value(each, bound)
                items.extend(value if isinstance(value, list) else [value])
            if all(isinstance(item, (str, int, float)) for item in items):
                return [str(item) for item in items]
        raise ValidationError(
            f"Template error: the local AWS cannot resolve the collection of {name}: it takes "
            "text, parameters with a value, and Fn::FindInMap of those."
        )

    def _value(self, node: Any, bound: Mapping[str, str]) -> Any:
        node = self.expand(node, bound)
        if not isinstance(node, Mapping) or len(node) != 1:
            return node
        if isinstance(node.get("Ref"), str):
            return self.values.get(node["Ref"])
        keys = node.get("Fn::FindInMap")
        if not isinstance(keys, list) or len(keys) < 3:
            return None
        found: Any = self.maps
        for key in keys[:3]:
            value = self._value(key, bound)
            known = isinstance(found, Mapping) and isinstance(value, str)
            found = found.get(value) if known else None
        return found


def expand(body: Mapping[str, Any], given: Sequence[Mapping[str, Any]], previous: Any) -> Any:
    """Return the body of a template with its loops expanded.

    Parameters
    ----------
    body:
        The template.
    given:
        The parameters of a request, as the API has them.
    previous:
        The parameters of the stack before, by name; None for a new stack.

    Raises
    ------
    ValidationError
        A loop is malformed, its collection is not known, or what it makes is too large.
    """
    values = values_of(body, given, previous)
    try:
        return _Loops(body, values).expand(body, {})
    except RecursionError:
        raise ValidationError("Template error: the template is nested too deeply.") from None


def values_of(
    body: Mapping[str, Any], given: Sequence[Mapping[str, Any]], previous: Any
) -> dict[str, Any]:
    """Return the values of a template's parameters, by name; those of lists are lists.

    `given` and `previous` are those of `expand`.
    """
    values: dict[str, Any] = {}
    declared = body.get("Parameters")
    requested = {one.get("ParameterKey"): one for one in given}
    for name, one in (declared if isinstance(declared, Mapping) else {}).items():
        asked = requested.get(name, {})
        value = asked.get("ParameterValue")
        if asked.get("UsePreviousValue") and previous is not None and name in previous:
            values[name] = previous[name]
            continue
        if value is None and isinstance(one, Mapping):
            value = one.get("Default")
        kind = str(one.get("Type")) if isinstance(one, Mapping) else ""
        is_list = kind == "CommaDelimitedList" or kind.startswith("List<")
        if value is not None and is_list:
            values[name] = [item.strip() for item in str(value).split(",")]
        else:
            values[name] = value
    return values


def has_loops(node: Any) -> bool:
    """Return whether any part of a template is a loop."""
    nodes = [node]
    while nodes:
        each = nodes.pop()
        if isinstance(each, Mapping):
            if any(key.startswith(FOR_EACH) for key in each):
                return True
            nodes.extend(each.values())
        elif isinstance(each, list):
            nodes.extend(each)
    return False


def _replaced(text: str, bound: Mapping[str, str]) -> str:
    """Return text with the values of identifiers; `&{}` leaves out what is not alphanumeric."""
    for name, value in bound.items():
        text = text.replace(f"${{{name}}}", value)
        text = text.replace(f"&{{{name}}}", _NOT_ALPHANUMERIC.sub("", value))
    return text


def _put(found: dict[str, Any], key: str, value: Any) -> None:
    if key in found:
        raise ValidationError(f"Template error: {FOR_EACH} makes {key} twice.")
    found[key] = value
