"""Intrinsic functions: from a template's expressions to plain values.

A value that exists only after the creation of a resource is `UNKNOWN` while a change is planned; a
function over an unknown value is unknown itself, so that planning and early validation use the
same code as the deployment.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.cloudformation.errors import MappingKeyMissing, ValidationError
from clusterwright_localaws.cloudformation.function_arguments import (
    CIDR,
    GET_ATT,
    JOIN,
    SELECT,
    SPLIT,
    check_arguments,
)
from clusterwright_localaws.cloudformation.references import split_attribute


class _Sentinel:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __copy__(self) -> _Sentinel:
        return self

    def __deepcopy__(self, memo: object) -> _Sentinel:
        return self


UNKNOWN = _Sentinel("UNKNOWN")
"""A value that is known only after a deployment."""

NO_VALUE = _Sentinel("NO_VALUE")
"""``AWS::NoValue``: the property or list item is omitted."""

_SUB_PART = re.compile(r"\$\{(!?)([^${}]*)\}")


@dataclass
class Scope:
    """The values of names during the evaluation of a template.

    Parameters
    ----------
    pseudo:
        Pseudo parameters by name, for example ``AWS::Region``.
    parameters:
        Resolved parameters; a list type is a list, everything else a string.
    mappings, condition_expressions:
        The template's sections.
    resource_ref, resource_attribute:
        Look up ``Ref`` and ``Fn::GetAtt`` of a resource; they may return `UNKNOWN`.
    import_value:
        Look up an export by name.
    zones:
        The Availability Zones of a region, by name.
    language_extensions:
        The template asks for the ``AWS::LanguageExtensions`` transform.
    """

    pseudo: Mapping[str, Any]
    parameters: Mapping[str, Any]
    mappings: Mapping[str, Any]
    condition_expressions: Mapping[str, Any]
    resource_names: frozenset[str]
    resource_ref: Callable[[str], Any]
    resource_attribute: Callable[[str, str], Any]
    import_value: Callable[[str], Any]
    zones: Callable[[str], list[str]]
    language_extensions: bool = False
    _conditions: dict[str, Any] = field(default_factory=dict)

    def condition(self, name: str) -> bool:
        """Evaluate a condition by name, once.

        Raises
        ------
        ValidationError
            No such condition, or conditions refer to each other in a circle.
        """
        if name not in self.condition_expressions:
            raise ValidationError(
                f"Template format error: Unresolved condition dependency {name} in the "
                "Conditions block of the template"
            )
        if name not in self._conditions:
            self._conditions[name] = None
            self._conditions[name] = _boolean(self.evaluate(self.condition_expressions[name]))
        found = self._conditions[name]
        if found is None:
            raise ValidationError(
                "Template error: Conditions can only be boolean operations on parameters and "
                f"other conditions; {name} refers to itself"
            )
        return bool(found)

    def evaluate(self, value: Any) -> Any:
        """Return `value` with every function evaluated.

        Raises
        ------
        ValidationError
            A function is used wrongly or names something that does not exist.
        """
        if isinstance(value, list):
            items = [self.evaluate(item) for item in value]
            return [item for item in items if item is not NO_VALUE]
        if not isinstance(value, Mapping):
            return value
        if len(value) == 1:
            ((key, argument),) = value.items()
            if key == "Ref":
                return self._ref(argument)
            if key == "Condition" and isinstance(argument, str):
                # Only in the Conditions and Rules sections; elsewhere (an IAM statement, an
                # event bus policy) `Condition` is a property like any other.
                if argument in self.condition_expressions:
                    return self.condition(argument)
                return {key: argument}
            if key.startswith("Fn::"):
                return self._call(key, argument)
        out = {}
        for key, item in value.items():
            if key.startswith("Fn::") and key in _FUNCTIONS:
                raise ValidationError(
                    f"Template format error: {key} must be the only key of its object, "
                    f"found {sorted(value)}"
                )
            evaluated = self.evaluate(item)
            if evaluated is not NO_VALUE:
                out[key] = evaluated
        return out

    def _ref(self, name: Any) -> Any:
        if self.language_extensions and not isinstance(name, str):
            name = self.evaluate(name)
        if not isinstance(name, str):
            raise ValidationError("Template format error: Ref must be a string")
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in self.pseudo:
            return self.pseudo[name]
        if name in self.parameters:
            return self.parameters[name]
        if name in self.resource_names:
            return self.resource_ref(name)
        raise ValidationError(
            f"Template format error: Unresolved resource dependencies [{name}] in the "
            "Resources block of the template"
        )

    def _call(self, key: str, argument: Any) -> Any:
        function = _FUNCTIONS.get(key)
        if function is None:
            raise ValidationError(
                f"Template error: the local AWS does not support the function {key}"
                if key.startswith(("Fn::Transform", "Fn::ForEach"))
                else f"Template format error: Unrecognized function {key}"
            )
        check_arguments(key, argument)
        return function(self, argument)


def text(value: Any) -> str:
    """Return a scalar as CloudFormation writes it into a string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def contains_unknown(value: Any) -> bool:
    """Return whether any part of `value` is `UNKNOWN`."""
    if value is UNKNOWN:
        return True
    if isinstance(value, Mapping):
        return any(contains_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(contains_unknown(item) for item in value)
    return False


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ValidationError("Template error: every condition must evaluate to true or false")


# --- the functions ------------------------------------------------------------------------


def _get_att(scope: Scope, argument: Any) -> Any:
    name, attribute = split_attribute(argument)
    attribute = scope.evaluate(attribute)
    if not name or not isinstance(attribute, str) or not attribute:
        raise ValidationError(f"Template error: {GET_ATT}")
    if name not in scope.resource_names:
        raise ValidationError(
            f"Template error: instance of Fn::GetAtt references undefined resource {name}"
        )
    return scope.resource_attribute(name, attribute)


def _sub(scope: Scope, argument: Any) -> Any:
    template, variables = argument if isinstance(argument, list) else (argument, {})
    out: list[str] = []
    end = 0
    for match in _SUB_PART.finditer(template):
        out.append(template[end : match.start()])
        end = match.end()
        literal, name = match.groups()
        name = name.strip()
        if literal:
            out.append("${" + match.group(2) + "}")
            continue
        if name in variables:
            found = scope.evaluate(variables[name])
        elif "." in name and name not in scope.parameters:
            found = _get_att(scope, name)
        else:
            found = scope._ref(name)
        if found is UNKNOWN:
            return UNKNOWN
        if isinstance(found, (Mapping, list)) or found is NO_VALUE:
            raise ValidationError(
                f"Template error: variable {name} in Fn::Sub expression does not resolve to a "
                "string"
            )
        out.append(text(found))
    out.append(template[end:])
    return "".join(out)


def _join(scope: Scope, argument: Any) -> Any:
    delimiter, items = argument
    items = scope.evaluate(items)
    delimiter = scope.evaluate(delimiter)
    if items is UNKNOWN or delimiter is UNKNOWN:
        return UNKNOWN
    if not isinstance(items, list) or not isinstance(delimiter, str):
        raise ValidationError(f"Template error: {JOIN}")
    if any(item is UNKNOWN for item in items):
        return UNKNOWN
    if any(isinstance(item, (Mapping, list)) for item in items):
        raise ValidationError(f"Template error: {JOIN}")
    return delimiter.join(text(item) for item in items)


def _select(scope: Scope, argument: Any) -> Any:
    raw_index, raw_items = argument
    index, items = scope.evaluate(raw_index), scope.evaluate(raw_items)
    if index is UNKNOWN or items is UNKNOWN:
        return UNKNOWN
    if not isinstance(items, list) or not re.fullmatch(r"\d+", text(index)):
        raise ValidationError(f"Template error: {SELECT}")
    position = int(text(index))
    if position >= len(items):
        raise ValidationError(
            f"Template error: Fn::Select cannot select nonexistent value at index {position}"
        )
    return items[position]


def _split(scope: Scope, argument: Any) -> Any:
    delimiter, source = argument
    source = scope.evaluate(source)
    delimiter = scope.evaluate(delimiter)
    if source is UNKNOWN or delimiter is UNKNOWN:
        return UNKNOWN
    if not isinstance(delimiter, str) or isinstance(source, (Mapping, list)) or not delimiter:
        raise ValidationError(f"Template error: {SPLIT}")
    return text(source).split(delimiter)


def _if(scope: Scope, argument: Any) -> Any:
    return scope.evaluate(argument[1] if scope.condition(argument[0]) else argument[2])


def _and(scope: Scope, argument: Any) -> bool:
    return all(_operands(scope, argument))


def _or(scope: Scope, argument: Any) -> bool:
    return any(_operands(scope, argument))


def _operands(scope: Scope, argument: Any) -> list[bool]:
    return [_boolean(scope.evaluate(item)) for item in argument]


def _not(scope: Scope, argument: Any) -> bool:
    return not _boolean(scope.evaluate(argument[0]))


def _equals(scope: Scope, argument: Any) -> bool:
    left, right = argument
    return _same(scope.evaluate(left), scope.evaluate(right))


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, (Mapping, list)) or isinstance(right, (Mapping, list)):
        return bool(left == right)
    return text(left) == text(right)


def _find_in_map(scope: Scope, argument: Any) -> Any:
    default: Any = NO_VALUE
    if len(argument) == 4:
        if not scope.language_extensions or not isinstance(argument[3], Mapping):
            raise ValidationError(
                "Template error: a DefaultValue of Fn::FindInMap needs the transform "
                "AWS::LanguageExtensions"
            )
        default = argument[3].get("DefaultValue")
    keys = [scope.evaluate(part) for part in argument[:3]]
    if any(key is UNKNOWN for key in keys):
        return UNKNOWN
    name, top, second = (text(key) for key in keys)
    found: Any = scope.mappings
    for key, what in ((name, "Mapping named"), (top, "key"), (second, "key")):
        if not isinstance(found, Mapping) or key not in found:
            if default is not NO_VALUE:
                return scope.evaluate(default)
            if what == "Mapping named":
                raise ValidationError(
                    f"Template error: Mapping named '{name}' is not present in the 'Mappings' "
                    "section of template."
                )
            raise MappingKeyMissing(
                f"Template error: Unable to get mapping for {name}::{top}::{second}"
            )
        found = found[key]
    return found


def _import_value(scope: Scope, argument: Any) -> Any:
    name = scope.evaluate(argument)
    if name is UNKNOWN:
        return UNKNOWN
    if isinstance(name, (Mapping, list)):
        raise ValidationError(
            "Template error: the attribute in Fn::ImportValue must be a string or a function "
            "that returns a string"
        )
    return scope.import_value(text(name))


def _base64(scope: Scope, argument: Any) -> Any:
    source = scope.evaluate(argument)
    if source is UNKNOWN:
        return UNKNOWN
    if isinstance(source, (Mapping, list)):
        raise ValidationError(
            "Template error: every Fn::Base64 object must have a String-typed value."
        )
    return base64.b64encode(text(source).encode()).decode()


def _cidr(scope: Scope, argument: Any) -> Any:
    parts = [scope.evaluate(part) for part in argument]
    if any(part is UNKNOWN for part in parts):
        return UNKNOWN
    try:
        network = ipaddress.ip_network(text(parts[0]), strict=False)
        count = int(text(parts[1]))
        # The default is 8 bits, as if the block were cut into /24s.
        bits = int(text(parts[2])) if len(parts) == 3 else 8
        if not 1 <= count <= 256:
            raise ValueError
        prefix = network.max_prefixlen - bits
        if prefix < network.prefixlen or 2 ** (prefix - network.prefixlen) < count:
            raise ValueError
    except ValueError:
        raise ValidationError(f"Template error: {CIDR}") from None
    size = 2**bits
    first = int(network.network_address)
    kind = ipaddress.IPv4Address if network.version == 4 else ipaddress.IPv6Address
    return [f"{kind(first + number * size)}/{prefix}" for number in range(count)]


def _get_azs(scope: Scope, argument: Any) -> Any:
    region = scope.evaluate(argument)
    if region is UNKNOWN:
        return UNKNOWN
    if not isinstance(region, str):
        raise ValidationError("Template error: every Fn::GetAZs object requires a region's name")
    return scope.zones(text(region) or text(scope.pseudo["AWS::Region"]))


def _length(scope: Scope, argument: Any) -> Any:
    _needs_extensions(scope, "Fn::Length")
    found = scope.evaluate(argument)
    if found is UNKNOWN:
        return UNKNOWN
    if not isinstance(found, list):
        raise ValidationError("Template error: every Fn::Length object requires a list")
    return len(found)


def _to_json_string(scope: Scope, argument: Any) -> Any:
    _needs_extensions(scope, "Fn::ToJsonString")
    found = scope.evaluate(argument)
    if contains_unknown(found):
        return UNKNOWN
    return json.dumps(found, separators=(",", ":"))


def _needs_extensions(scope: Scope, name: str) -> None:
    if not scope.language_extensions:
        raise ValidationError(
            f"Template format error: {name} needs the transform AWS::LanguageExtensions"
        )


# Rule functions, in the Rules section only.
# https://docs.aws.amazon.com/servicecatalog/latest/adminguide/reference-template_constraint_rules.html


def _contains(scope: Scope, argument: Any) -> bool:
    items, desired = argument
    return any(_same(item, scope.evaluate(desired)) for item in _items(scope, items))


def _each_member_equals(scope: Scope, argument: Any) -> bool:
    items, desired = argument
    return all(_same(item, scope.evaluate(desired)) for item in _items(scope, items))


def _each_member_in(scope: Scope, argument: Any) -> bool:
    items, allowed = argument
    desired = _items(scope, allowed)
    return all(any(_same(item, one) for one in desired) for item in _items(scope, items))


def _items(scope: Scope, value: Any) -> list[Any]:
    found = scope.evaluate(value)
    if not isinstance(found, list):
        raise ValidationError("Template error: rule functions require lists")
    return found


def _value_of(_: Scope, argument: Any) -> Any:
    raise ValidationError(
        "Template error: the local AWS does not support the rule functions Fn::ValueOf, "
        "Fn::ValueOfAll and Fn::RefAll"
    )


_FUNCTIONS: Mapping[str, Callable[[Scope, Any], Any]] = {
    "Fn::And": _and,
    "Fn::Base64": _base64,
    "Fn::Cidr": _cidr,
    "Fn::Contains": _contains,
    "Fn::EachMemberEquals": _each_member_equals,
    "Fn::EachMemberIn": _each_member_in,
    "Fn::Equals": _equals,
    "Fn::FindInMap": _find_in_map,
    "Fn::GetAZs": _get_azs,
    "Fn::GetAtt": _get_att,
    "Fn::If": _if,
    "Fn::ImportValue": _import_value,
    "Fn::Join": _join,
    "Fn::Length": _length,
    "Fn::Not": _not,
    "Fn::Or": _or,
    "Fn::RefAll": _value_of,
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::Sub": _sub,
    "Fn::ToJsonString": _to_json_string,
    "Fn::ValueOf": _value_of,
    "Fn::ValueOfAll": _value_of,
}
