"""Template text to plain data: JSON, or YAML with CloudFormation's short forms.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from clusterwright_localaws.cloudformation.errors import ValidationError

# The size limits of a template in a request and in S3, in bytes.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
BODY_LIMIT_BYTES = 51_200
URL_LIMIT_BYTES = 1_048_576

_SHORT_FORMS = frozenset(
    {
        "And",
        "Base64",
        "Cidr",
        "Equals",
        "FindInMap",
        "ForEach",
        "GetAZs",
        "If",
        "ImportValue",
        "Join",
        "Length",
        "Not",
        "Or",
        "Select",
        "Split",
        "Sub",
        "ToJsonString",
        "Transform",
    }
)


def parse_text(text: str) -> dict[str, Any]:
    """Return the template as plain dictionaries, lists, strings, numbers and booleans.

    Raises
    ------
    ValidationError
        The text is neither JSON nor YAML, repeats a key, has an alias, or is not an object.
    """
    stripped = text.lstrip("\ufeff \t\r\n")
    if not stripped:
        raise ValidationError("Template format error: unsupported structure.")
    try:
        parsed = _parse_json(text) if stripped.startswith("{") else _parse_yaml(text)
    except RecursionError:
        raise ValidationError("Template format error: unsupported structure.") from None
    if not isinstance(parsed, dict):
        raise ValidationError("Template format error: unsupported structure.")
    return parsed


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        # AWS names the column after the character that it did not expect.
        column = error.colno + (error.pos < len(error.doc))
        refusal = ValidationError(
            f"Template format error: JSON not well-formed. (line {error.lineno}, column {column})"
        )
        # A YAML flow mapping also starts with a brace; AWS accepts it too.
        try:
            parsed = _parse_yaml(text)
        except ValidationError:
            raise refusal from None
        # `{"text"}` is a key without a value in YAML, and malformed JSON for AWS.
        if isinstance(parsed, dict) and None in parsed.values():
            raise refusal from None
        return parsed


def _parse_yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader of our own
    except _AliasError:
        raise ValidationError(
            "Template format error: YAML aliases are not allowed in CloudFormation templates"
        ) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise ValidationError(f"Template format error: YAML not well-formed.{where}") from None
    except (yaml.YAMLError, RecursionError):
        raise ValidationError("Template format error: YAML not well-formed.") from None


class _AliasError(Exception):
    """The template has an alias."""


class _Loader(yaml.SafeLoader):
    """YAML 1.1 as CloudFormation reads it: no dates, aliases or repeated keys; short forms.

    A few nested aliases of aliases would be gigabytes when they are followed.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise _AliasError
        return super().compose_node(parent, index)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    loader.flatten_mapping(node)
    out: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, (str, int, float, bool)):
            raise yaml.constructor.ConstructorError(
                None, None, "a key must be a string", key_node.start_mark
            )
        # A key is text, even if it looks like a number: account ids in a Mapping.
        name = key_node.value if isinstance(key_node, yaml.ScalarNode) else str(key)
        if name in out:
            raise yaml.constructor.ConstructorError(
                None, None, f"duplicate key {name}", key_node.start_mark
            )
        out[name] = loader.construct_object(value_node, deep=True)
    return out


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = _mapping(loader, node)  # type: ignore[arg-type]
    if suffix in ("Ref", "Condition"):
        return {suffix: value}
    if suffix == "GetAtt":
        # `!GetAtt A.B.C` is the attribute `B.C` of the resource `A`.
        return {"Fn::GetAtt": value.split(".", 1) if isinstance(value, str) else value}
    if suffix in _SHORT_FORMS:
        return {f"Fn::{suffix}": value}
    raise yaml.constructor.ConstructorError(None, None, f"unknown tag !{suffix}", node.start_mark)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_multi_constructor("!", _short_form)
# A date stays the text that was written: `Version: 2012-10-17` is no day of a calendar.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
