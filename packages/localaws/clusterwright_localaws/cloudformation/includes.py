"""The transform AWS::Include: parts of a template that are objects in S3.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/transform-aws-include.html
A snippet is an object of keys and values, in JSON, or in YAML without short forms, and includes
nothing itself. Within a section its keys replace those of the template that have the same names,
as recorded on AWS (docs/reference/probes.md, source `localstack`). The messages about the location
and the content are AWS's, as users quote them (awsdocs/aws-cloudformation-user-guide#232,
amazon-archives/realworld-serverless-application#58); others are ours. Locations are text,
parameters, pseudo parameters, and Fn::Sub and Fn::Join of those.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import yaml

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template_text import parse_text

INCLUDE: Final = "AWS::Include"
FUNCTION: Final = "Fn::Transform"
_TRANSFORM: Final = "Transform"
_MOST_INCLUDES: Final = 500
"""Of one template; more than AWS's templates of 500 resources need, so that work ends."""
_FAILED: Final = f"Transform {INCLUDE} failed with: "
_CONTENT: Final = "The specified S3 object's content should be valid Yaml/JSON."
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z0-9:]+)\}")
Read = Callable[[str, str], str]
"""Return the text of an object, by bucket and key."""


def includes(body: Mapping[str, Any]) -> bool:
    """Return whether a template, or any part of it, includes something."""
    return any(True for _ in _calls(body)) or any(map(_is_include, as_list(body.get(_TRANSFORM))))


def include(body: Mapping[str, Any], values: Mapping[str, Any], read: Read) -> dict[str, Any]:
    """Return a template with what it includes.

    Parameters
    ----------
    body:
        The template.
    values:
        The values of its parameters and pseudo parameters, by name.

    Raises
    ------
    ValidationError
        A location is none, its object cannot be read, or its content cannot be included.
    """
    try:
        return _with_snippets(body, values, read)
    except RecursionError:
        raise ValidationError("Template error: the template is nested too deeply.") from None


def _with_snippets(
    body: Mapping[str, Any], values: Mapping[str, Any], read: Read
) -> dict[str, Any]:
    left = [_MOST_INCLUDES]
    found: dict[str, Any] = {}
    for name, part in body.items():
        plain = name in ("Parameters", _TRANSFORM)
        found[name] = part if plain else _included(part, values, read, left)
    for one in filter(_is_include, as_list(body.get(_TRANSFORM))):
        snippet = _snippet(one, values, read, left)
        if both := sorted(found.keys() & snippet.keys()):
            # What AWS does is not documented.
            raise _failed(f"The template and the S3 object both have {', '.join(both)}.")
        found |= snippet
    return found


def _included(node: Any, values: Mapping[str, Any], read: Read, left: list[int]) -> Any:
    if isinstance(node, list):
        return [_included(item, values, read, left) for item in node]
    if not isinstance(node, Mapping):
        return node
    calls = as_list(node.get(FUNCTION))
    if not any(map(_is_include, calls)):
        return {key: _included(value, values, read, left) for key, value in node.items()}
    others = [one for one in calls if not _is_include(one)]
    found = {
        key: _included(value, values, read, left) for key, value in node.items() if key != FUNCTION
    }
    if others:
        found[FUNCTION] = others
    for one in filter(_is_include, calls):
        found |= _snippet(one, values, read, left)
    return found


def _snippet(
    call: Mapping[str, Any], values: Mapping[str, Any], read: Read, left: list[int]
) -> dict[str, Any]:
    left[0] -= 1
    if left[0] < 0:
        raise ValidationError(f"{INCLUDE} is used more than {_MOST_INCLUDES} times.")
    parameters = call.get("Parameters")
    location = parameters.get("Location") if isinstance(parameters, Mapping) else None
    location = _resolved(location, values)
    try:
        parts = urlsplit(location) if isinstance(location, str) else None
    except ValueError:
        parts = None
    key = unquote(parts.path).lstrip("/") if parts is not None else ""
    if parts is None or parts.scheme != "s3" or not parts.netloc or not key:
        raise _failed("The location parameter is not a valid S3 uri.")
    text = read(parts.netloc, key)
    try:
        found = {} if _has_short_forms(text) else parse_text(text)
    except (yaml.YAMLError, RecursionError, ValueError, ValidationError):
        found = {}
    if not found or includes(found):
        raise _failed(_CONTENT)
    return found


def _has_short_forms(text: str) -> bool:
    """Return whether text has tags of YAML; JSON has none, and not all of it is YAML: tabs."""
    try:
        json.loads(text.lstrip("\ufeff"))
    except ValueError:
        return any(isinstance(token, yaml.TagToken) for token in yaml.scan(text))
    return False


def _resolved(node: Any, values: Mapping[str, Any]) -> Any:
    """Return a location: text, or a function of text and parameters; `None` for others."""
    if isinstance(node, str) or not isinstance(node, Mapping) or len(node) != 1:
        return node
    ((name, argument),) = node.items()
    if name == "Ref":
        return values.get(str(argument))
    if name == "Fn::Sub" and isinstance(argument, str):
        if any(values.get(one) is None for one in _VARIABLE.findall(argument)):
            return None
        return _VARIABLE.sub(lambda found: str(values[found[1]]), argument)
    if name == "Fn::Join" and isinstance(argument, list) and len(argument) == 2:
        if not isinstance(argument[1], list):
            return None
        parts = [_resolved(one, values) for one in argument[1]]
        return str(argument[0]).join(map(str, parts)) if None not in parts else None
    return None


def _calls(node: Any) -> Iterator[Mapping[str, Any]]:
    nodes = [node]
    while nodes:
        each = nodes.pop()
        if isinstance(each, Mapping):
            yield from filter(_is_include, as_list(each.get(FUNCTION)))
            nodes.extend(each.values())
        elif isinstance(each, list):
            nodes.extend(each)


def _is_include(call: Any) -> bool:
    return isinstance(call, Mapping) and call.get("Name") == INCLUDE


def as_list(value: Any) -> list[Any]:
    """Return what a template may have alone or in a list, as a list; empty where it is absent."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _failed(reason: str) -> ValidationError:
    return ValidationError(_FAILED + reason)
