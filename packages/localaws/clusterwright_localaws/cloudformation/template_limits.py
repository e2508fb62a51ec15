"""Limits of the size and structure of a template.

The numbers are CloudFormation's quotas; most messages of refusals are not AWS's.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.cloudformation.errors import ValidationError

MAXIMUM_RESOURCES = 500
MAXIMUM_PARAMETERS = 200
MAXIMUM_OUTPUTS = 200
MAXIMUM_MAPPINGS = 200
MAXIMUM_MAPPING_ATTRIBUTES = 200
MAXIMUM_NAME_CHARACTERS = 255
MAXIMUM_DESCRIPTION_BYTES = 1_024
MAXIMUM_PARAMETER_BYTES = 4_096
MAXIMUM_DYNAMIC_REFERENCES = 60

_DYNAMIC = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):")
# Properties of supported types that accept a secure string of SSM.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-ssm-secure-strings.html
_SECURE = frozenset(
    {
        "AWS::RDS::DBCluster/Properties/MasterUserPassword",
        "AWS::RDS::DBInstance/Properties/MasterUserPassword",
    }
)


def check_limits(body: Mapping[str, Any]) -> None:
    """Refuse a template whose sections are mappings, but too large or of the wrong shape.

    Raises
    ------
    ValidationError
        For the first thing that is wrong.
    """
    _check_numbers(body)
    _check_description(body.get("Description"))
    for section in ("Mappings", "Outputs", "Parameters", "Resources"):
        for name in body.get(section) or {}:
            if len(name) > MAXIMUM_NAME_CHARACTERS:
                raise ValidationError(
                    f"Template format error: {section[:-1]} name {name[:20]}... has "
                    f"{len(name)} characters, the maximum is {MAXIMUM_NAME_CHARACTERS}"
                )
    _check_mappings(body.get("Mappings") or {})
    _check_rules(body.get("Rules") or {})
    for name, output in (body.get("Outputs") or {}).items():
        export = output.get("Export", {}) if isinstance(output, Mapping) else {}
        if not isinstance(export, Mapping) or set(export) - {"Name"}:
            raise ValidationError(
                f"Template format error: Output {name} is malformed. An Export is an object "
                "with a Name."
            )
    _check_dynamic_references(body)


def _check_numbers(body: Mapping[str, Any]) -> None:
    for section, most in (
        ("Resources", MAXIMUM_RESOURCES),
        ("Parameters", MAXIMUM_PARAMETERS),
        ("Outputs", MAXIMUM_OUTPUTS),
        ("Mappings", MAXIMUM_MAPPINGS),
    ):
        count = len(body.get(section) or {})
        if count > most:
            raise ValidationError(
                f"Template format error: Number of {section.lower()}, {count}, is greater than "
                f"maximum allowed, {most}"
            )


def _check_description(description: object) -> None:
    if description is None:
        return
    if not isinstance(description, str):
        raise ValidationError("Template format error: Every Description member must be a string.")
    if len(description.encode()) > MAXIMUM_DESCRIPTION_BYTES:
        raise ValidationError(
            "Template format error: 'Description' length is greater than "
            f"{MAXIMUM_DESCRIPTION_BYTES}."
        )


def _check_mappings(mappings: Mapping[str, Any]) -> None:
    for name, keys in mappings.items():
        _check_map(name, keys)
        for key, values in keys.items():
            _check_map(key, values)
        if len(keys) > MAXIMUM_MAPPING_ATTRIBUTES:
            raise ValidationError(
                f"Template format error: Number of attributes of mapping {name}, {len(keys)}, is "
                f"greater than maximum allowed, {MAXIMUM_MAPPING_ATTRIBUTES}"
            )
        for values in keys.values():
            for value in values.values():
                _check_mapped(value)


def _check_map(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise ValidationError(f"Template format error: Every Mappings member {name} must be a map")


def _check_mapped(value: Any) -> None:
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, (Mapping, list)) for item in items):
        raise ValidationError(
            "Template format error: Every Mappings attribute must be a String or a List."
        )


def _check_rules(rules: Mapping[str, Any]) -> None:
    for name, rule in rules.items():
        assertions = rule.get("Assertions") if isinstance(rule, Mapping) else None
        if not isinstance(assertions, list) or not all(
            isinstance(one, Mapping) and "Assert" in one for one in assertions
        ):
            raise ValidationError(
                f"Template format error: rule {name} must be an object with Assertions, each with "
                "an Assert"
            )


def _check_dynamic_references(body: Mapping[str, Any]) -> None:
    count = 0
    for name, resource in (body.get("Resources") or {}).items():
        if not isinstance(resource, Mapping):
            continue
        for path, text in _texts(resource.get("Properties"), "Properties"):
            found = _DYNAMIC.findall(text)
            count += len(found)
            place = f"{resource.get('Type')}/{path}"
            if "ssm-secure" in found and place not in _SECURE:
                raise ValidationError(
                    f"SSM Secure reference is not supported in: [{place}] ({name})"
                )
    if count > MAXIMUM_DYNAMIC_REFERENCES:
        raise ValidationError(
            f"Template format error: Number of dynamic references, {count}, is greater than "
            f"maximum allowed, {MAXIMUM_DYNAMIC_REFERENCES}"
        )


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield every text below a value with its path; functions are no steps of a path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, path)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, path if str(key).startswith("Fn::") else f"{path}/{key}")
