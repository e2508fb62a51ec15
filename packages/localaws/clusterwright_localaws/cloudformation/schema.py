"""Validation of resource properties with CloudFormation's schemas.

The schemas of cfn-lint are CloudFormation's registry schemas with
cfn-lint's own additions (enumerations and patterns taken from the API models), so a few values
are refused here that AWS would refuse only in the service's API.

https://github.com/aws-cloudformation/cfn-lint
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.cfn import resource_schemas
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN, contains_unknown, text
from clusterwright_localaws.core import patterns

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Violation:
    """One thing that a schema refuses: a JSON pointer such as ``#/Tags/0``, and why."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class ResourceSchema(resource_schemas.ResourceSchema):
    """The schema of one resource type, which validates properties."""

    @property
    def tag_property(self) -> str | None:
        """The property with tags; None if the type has none."""
        tagging = self.body.get("tagging", {})
        if not tagging.get("taggable", False):
            return None
        return str(tagging.get("tagProperty", "/properties/Tags")).removeprefix("/properties/")

    @property
    def takes_system_tags(self) -> bool:
        """Whether CloudFormation adds its own tags to resources of the type.

        Both members of ``tagging`` are true by default, as is the older ``taggable``, which counts
        for a type with a property ``Tags`` (https://github.com/aws-cloudformation/cloudformation-cli
        ``provider.definition.schema.v1.json``).
        """
        tagging = self.body.get("tagging")
        if tagging is None:
            return bool(self.body.get("taggable", True)) and "Tags" in self.body["properties"]
        return bool(
            tagging.get("taggable", True) and tagging.get("cloudFormationSystemTags", True)
        )

    def knows_attribute(self, name: str) -> bool:
        """Return whether ``Fn::GetAtt`` supports `name` (``Arn``, ``Endpoint.Address``)."""
        parts = tuple(name.split("."))
        return parts in self.read_only or self._property(parts) is not None

    def validate(self, properties: Any) -> tuple[Any, list[Violation]]:
        """Check a resource's properties, and coerce scalars as CloudFormation does.

        ``"5"`` is accepted for an integer, ``"true"`` for a boolean, and a
        number where a string is. Values that are `UNKNOWN` pass every check.

        Returns the coerced properties and everything that is wrong with them.
        """
        coerced, found = self._check(properties, self.body, "#")
        if isinstance(properties, Mapping):
            for path in self.read_only - self.create_only - self.write_only:
                if len(path) == 1 and path[0] in properties:
                    found.append(Violation("#", f"Encountered unsupported property {path[0]}"))
        return coerced, found

    def _property(self, parts: tuple[str, ...]) -> Schema | None:
        node: Schema = self.body
        for part in parts:
            node = self._resolve(node)
            child = node.get("properties", {}).get(part)
            if not isinstance(child, Mapping):
                return None
            node = child
        return node

    def _resolve(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            node: Any = self.body
            for part in str(schema["$ref"]).lstrip("#/").split("/"):
                node = node[part]
            schema = node
        return schema

    def _check(self, value: Any, schema: Schema, path: str) -> tuple[Any, list[Violation]]:
        schema = self._resolve(schema)
        if value is UNKNOWN:
            return value, []
        found: list[Violation] = []
        allowed = schema.get("type")
        if allowed is not None:
            types = [allowed] if isinstance(allowed, str) else list(allowed)
            coerced = _coerce(value, types)
            if coerced is _NO:
                desired = " or ".join(_SHOWN_TYPES[name] for name in types)
                return value, [
                    Violation(path, f"expected type: {desired}, found: {_shown(value)}")
                ]
            value = coerced
        found.extend(_values(value, schema, path))
        if isinstance(value, str):
            found.extend(_string(value, schema, path))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.extend(_number(value, schema, path))
        elif isinstance(value, list):
            value, more = self._array(value, schema, path)
            found.extend(more)
        elif isinstance(value, Mapping):
            value, more = self._object(value, schema, path)
            found.extend(more)
        value, more = self._combined(value, schema, path)
        return value, found + more

    def _array(
        self, value: list[Any], schema: Schema, path: str
    ) -> tuple[list[Any], list[Violation]]:
        found: list[Violation] = []
        least, most = schema.get("minItems"), schema.get("maxItems")
        if least is not None and len(value) < least:
            found.append(
                Violation(path, f"expected minimum item count: {least}, found: {len(value)}")
            )
        if most is not None and len(value) > most:
            found.append(
                Violation(path, f"expected maximum item count: {most}, found: {len(value)}")
            )
        if schema.get("uniqueItems") and not contains_unknown(value):
            seen = [json.dumps(item, sort_keys=True, default=str) for item in value]
            if len(set(seen)) != len(seen):
                found.append(Violation(path, "array items are not unique"))
        items = schema.get("items")
        if not isinstance(items, Mapping):
            return value, found
        out = []
        for number, item in enumerate(value):
            coerced, more = self._check(item, items, f"{path}/{number}")
            out.append(coerced)
            found.extend(more)
        return out, found

    def _object(
        self, value: Mapping[str, Any], schema: Schema, path: str
    ) -> tuple[dict[str, Any], list[Violation]]:
        found: list[Violation] = []
        known: Mapping[str, Schema] = schema.get("properties", {})
        patterns: Mapping[str, Schema] = schema.get("patternProperties", {})
        extra = schema.get("additionalProperties", True)
        out: dict[str, Any] = {}
        for key, item in value.items():
            child = known.get(key)
            if child is None:
                child = next(
                    (sub for pattern, sub in patterns.items() if _matches(pattern, key)), None
                )
            if child is None and isinstance(extra, Mapping):
                child = extra
            if child is None:
                if extra is False:
                    found.append(Violation(path, f"extraneous key [{key}] is not permitted"))
                out[key] = item
                continue
            out[key], more = self._check(item, child, f"{path}/{key}")
            found.extend(more)
        found.extend(_keys(value, schema, path))
        return out, found

    def _combined(self, value: Any, schema: Schema, path: str) -> tuple[Any, list[Violation]]:
        found: list[Violation] = []
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = schema.get(keyword)
            if not branches:
                continue
            results = [self._check(value, branch, path) for branch in branches]
            passed = [coerced for coerced, violations in results if not violations]
            if passed:
                value = passed[0]
            # With an unknown part, more branches pass than will in the end.
            unknown = contains_unknown(value)
            if keyword == "allOf" and len(passed) < len(branches):
                for _, violations in results:
                    found.extend(violations)
            elif keyword == "anyOf" and not passed:
                found.append(
                    Violation(
                        path,
                        f"#: no subschema matched out of the total {len(branches)} subschemas",
                    )
                )
            elif keyword == "oneOf" and (not passed or (len(passed) > 1 and not unknown)):
                found.append(
                    Violation(path, f"#: {len(passed)} subschemas matched instead of one")
                )
        if "not" in schema and not contains_unknown(value):
            _, violations = self._check(value, schema["not"], path)
            if not violations:
                found.append(Violation(path, "subject must not be valid against the schema 'not'"))
        if "if" in schema and not contains_unknown(value):
            _, violations = self._check(value, schema["if"], path)
            branch = schema.get("else" if violations else "then")
            if isinstance(branch, Mapping):
                value, more = self._check(value, branch, path)
                found.extend(more)
        return value, found


@functools.cache
def resource_schema(type_name: str, region: str) -> ResourceSchema | None:
    """Return the schema of a type as that region has it, or None where it has none."""
    body = _schemas(region).body(type_name)
    return None if body is None else ResourceSchema(body)


@functools.cache
def _schemas(region: str) -> resource_schemas.Schemas:
    return resource_schemas.Schemas(region)


# --- scalars --------------------------------------------------------------------------------

_NO = object()
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_SHOWN_TYPES = {
    "string": "String",
    "integer": "Integer",
    "number": "Number",
    "boolean": "Boolean",
    "array": "JSONArray",
    "object": "JSONObject",
    "null": "Null",
}


def _coerce(value: Any, types: list[str]) -> Any:
    """Return `value` as one of `types`, or `_NO`. An exact type wins over a coercion."""
    for name in types:
        if _is(value, name):
            return value
    for name in types:
        if name == "string" and isinstance(value, (bool, int, float)):
            return text(value)
        if name == "integer":
            if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
                return int(value)
            if isinstance(value, float) and value.is_integer():
                return int(value)
        if name == "number" and isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            number = float(value)
            return int(number) if number.is_integer() and "." not in value else number
        if name == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
    return _NO


def _is(value: Any, name: str) -> bool:
    if name == "string":
        return isinstance(value, str)
    if name == "boolean":
        return isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "array":
        return isinstance(value, list)
    if name == "object":
        return isinstance(value, Mapping)
    return value is None


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "Boolean"
    if isinstance(value, int):
        return "Integer"
    if isinstance(value, float):
        return "Double"
    if isinstance(value, str):
        return "String"
    if isinstance(value, list):
        return "JSONArray"
    return "Null" if value is None else "JSONObject"


def _values(value: Any, schema: Schema, path: str) -> Iterator[Violation]:
    choices = schema.get("enum")
    if choices is not None and not any(_equal(value, choice) for choice in choices):
        yield Violation(path, "failed validation constraint for keyword [enum]")
    folded = schema.get("enumCaseInsensitive")
    if folded is not None and text(value).lower() not in {text(one).lower() for one in folded}:
        yield Violation(path, "failed validation constraint for keyword [enum]")
    if "const" in schema and not _equal(value, schema["const"]):
        yield Violation(path, "failed validation constraint for keyword [const]")


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, (Mapping, list)) or isinstance(other, (Mapping, list)):
        return bool(value == other)
    return text(value) == text(other)


def _string(value: str, schema: Schema, path: str) -> Iterator[Violation]:
    # A dynamic reference is put in by the deployment; its text is not the value.
    if "{{resolve:" in value:
        return
    least, most = schema.get("minLength"), schema.get("maxLength")
    if least is not None and len(value) < least:
        yield Violation(path, f"expected minLength: {least}, actual: {len(value)}")
    if most is not None and len(value) > most:
        yield Violation(path, f"expected maxLength: {most}, actual: {len(value)}")
    pattern = schema.get("pattern")
    if pattern is not None and not _matches(pattern, value):
        yield Violation(path, "failed validation constraint for keyword [pattern]")


def _number(value: float, schema: Schema, path: str) -> Iterator[Violation]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and value < least:
        yield Violation(path, f"{text(value)} is not greater or equal to {text(least)}")
    if most is not None and value > most:
        yield Violation(path, f"{text(value)} is not less or equal to {text(most)}")


def _keys(value: Mapping[str, Any], schema: Schema, path: str) -> Iterator[Violation]:
    for key in schema.get("required", []):
        if key not in value:
            yield Violation(path, f"required key [{key}] not found")
    most = schema.get("maxProperties")
    if most is not None and len(value) > most:
        yield Violation(path, f"maximum size: [{most}], found: [{len(value)}]")
    least = schema.get("minProperties")
    if least is not None and len(value) < least:
        yield Violation(path, f"minimum size: [{least}], found: [{len(value)}]")
    yield from _groups(value, schema, path)


def _groups(value: Mapping[str, Any], schema: Schema, path: str) -> Iterator[Violation]:
    """Check which keys go together: cfn-lint's additions, from each type's documentation."""
    either = schema.get("requiredOr")
    if either and not any(key in value for key in either):
        yield Violation(path, f"required one of the keys {_listed(either)}, found none")
    exactly = schema.get("requiredXor")
    if exactly:
        given = [key for key in exactly if key in value]
        if len(given) != 1:
            yield Violation(
                path, f"required exactly one of the keys {_listed(exactly)}, found {len(given)}"
            )
    for key, others in schema.get("dependentExcluded", {}).items():
        for other in others:
            if key in value and other in value:
                yield Violation(path, f"key [{key}] must not be given together with [{other}]")
    for key, others in schema.get("dependentRequired", {}).items():
        for other in others:
            if key in value and other not in value:
                yield Violation(path, f"property [{other}] is required by [{key}]")


def _listed(names: list[str]) -> str:
    return "[" + ", ".join(names) + "]"


def _matches(pattern: str, value: str) -> bool:
    try:
        return patterns.matches(pattern, value)
    except patterns.PatternError:  # then it cannot refuse anything
        return True
