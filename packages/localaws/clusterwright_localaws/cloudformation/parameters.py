"""Template parameters: values of the caller, constraints of the template, values in SSM.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.evaluate import text
from clusterwright_localaws.cloudformation.template_limits import MAXIMUM_PARAMETER_BYTES
from clusterwright_localaws.core import patterns

HIDDEN = "****"
_SSM_VALUE = re.compile(r"AWS::SSM::Parameter::Value<(.+)>")
_LIST = re.compile(r"List<(.+)>")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
# "Supported AWS-specific parameter types":
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html
_OF_AWS = (
    r"AWS::(EC2::(AvailabilityZone::Name|Image::Id|Instance::Id|KeyPair::KeyName"
    r"|SecurityGroup::(GroupName|Id)|Subnet::Id|VPC::Id|Volume::Id)|Route53::HostedZone::Id)"
)
_TYPES = re.compile(
    r"String|Number|CommaDelimitedList|List<Number>|List<String>"
    rf"|AWS::SSM::Parameter::Name|AWS::SSM::Parameter::Value<.+>|{_OF_AWS}|List<{_OF_AWS}>"
)


@dataclass(frozen=True)
class SsmValue:
    """The value of a parameter in SSM, and whether it is a secure string or a list."""

    text: str
    is_secure: bool = False
    is_list: bool = False


@dataclass(frozen=True)
class Parameter:
    """One parameter of a stack.

    `given` is what the caller or the default said (for an SSM type, the parameter's name),
    `value` what a ``Ref`` returns: a string, or a list of strings.
    """

    name: str
    given: str
    value: Any
    hidden: bool
    from_ssm: bool

    def described(self) -> dict[str, str]:
        """Return the parameter as ``DescribeStacks`` shows it."""
        out = {"ParameterKey": self.name, "ParameterValue": HIDDEN if self.hidden else self.given}
        if self.from_ssm:
            value = ",".join(self.value) if isinstance(self.value, list) else str(self.value)
            out["ResolvedValue"] = HIDDEN if self.hidden else value
        return out


def resolve_parameters(
    declarations: Mapping[str, Mapping[str, Any]],
    given: Sequence[Mapping[str, Any]],
    previous: Mapping[str, Parameter] | None,
    fetch_ssm: Callable[[str], SsmValue | None],
) -> dict[str, Parameter]:
    """Return the value of every declared parameter, checked.

    Parameters
    ----------
    declarations:
        The template's ``Parameters`` section.
    given:
        The request's ``Parameters``.
    previous:
        The stack's parameters at an update, for ``UsePreviousValue``.
    fetch_ssm:
        Returns the value of an SSM parameter, or None where there is none.

    Raises
    ------
    ValidationError
        A value is missing, unknown, or against its constraints.
    """
    for name, declaration in declarations.items():
        _check_declaration(name, declaration)
    chosen = _chosen(declarations, given, previous)
    missing = [name for name in declarations if name not in chosen]
    if missing:
        raise ValidationError(f"Parameters: [{', '.join(missing)}] must have values")
    allowance = patterns.Allowance()
    return {
        name: _resolve(name, declaration, chosen[name], fetch_ssm, allowance)
        for name, declaration in declarations.items()
    }


def _chosen(
    declarations: Mapping[str, Mapping[str, Any]],
    given: Sequence[Mapping[str, Any]],
    previous: Mapping[str, Parameter] | None,
) -> dict[str, str]:
    chosen = {
        name: text(declaration["Default"])
        if not isinstance(declaration["Default"], list)
        else ",".join(text(item) for item in declaration["Default"])
        for name, declaration in declarations.items()
        if "Default" in declaration
    }
    for number, one in enumerate(given, 1):
        if not one.get("ParameterKey"):
            raise ValidationError(
                f"1 validation error detected: Value null at 'parameters.{number}.member."
                "parameterKey' failed to satisfy constraint: Member must not be null"
            )
    unknown = [one["ParameterKey"] for one in given if one["ParameterKey"] not in declarations]
    if unknown:
        raise ValidationError(f"Parameters: [{', '.join(unknown)}] do not exist in the template")
    for one in given:
        name = one["ParameterKey"]
        if one.get("UsePreviousValue"):
            if one.get("ParameterValue"):  # an empty value is none
                raise ValidationError(
                    f"Invalid input for parameter key {name}. Cannot specify usePreviousValue "
                    "as true and non empty value for a parameter"
                )
            if previous is None:
                raise ValidationError(
                    f"Invalid input for parameter key {name}. Cannot specify usePreviousValue "
                    "as true for a parameter key not in the previous template"
                )
            if name in previous:
                chosen[name] = previous[name].given
            elif name not in chosen:
                raise ValidationError(
                    f"Invalid input for parameter key {name}. Cannot specify usePreviousValue "
                    "as true for a parameter key not in the previous template"
                )
        elif "ParameterValue" in one:
            chosen[name] = one["ParameterValue"]
    return chosen


def _check_declaration(name: str, declaration: Mapping[str, Any]) -> None:
    """Refuse an invalid declaration, with or without a value."""
    kind = declaration["Type"]
    if not isinstance(kind, str) or not _TYPES.fullmatch(kind):
        raise ValidationError(f"Template format error: Unrecognized parameter type: {kind}")
    for key in ("MinLength", "MaxLength", "MinValue", "MaxValue"):
        if key in declaration and not _NUMBER.fullmatch(text(declaration[key]).strip()):
            raise ValidationError(f"Template format error: {key} of parameter {name} is no number")
    if not isinstance(declaration.get("AllowedValues", []), list):
        raise ValidationError(
            f"Template format error: Every AllowedValues member must be a list (parameter {name})."
        )
    default = declaration.get("Default")
    items = default if isinstance(default, list) else [default]
    if any(isinstance(item, (Mapping, list)) for item in items):
        raise ValidationError(
            f"Template format error: Every Default member must be a string (parameter {name})."
        )
    try:
        patterns.compiled_pattern(str(declaration.get("AllowedPattern", "")))
    except patterns.PatternError as error:
        raise ValidationError(
            f"Template format error: AllowedPattern of parameter {name} cannot be read: {error}"
        ) from None


def _resolve(
    name: str,
    declaration: Mapping[str, Any],
    given: str,
    fetch_ssm: Callable[[str], SsmValue | None],
    allowance: patterns.Allowance,
) -> Parameter:
    kind = declaration["Type"]
    if len(given.encode()) > MAXIMUM_PARAMETER_BYTES:
        raise ValidationError(
            f"Parameter '{name}' is larger than {MAXIMUM_PARAMETER_BYTES} bytes, the maximum."
        )
    hidden = str(declaration.get("NoEcho", "false")).lower() == "true"
    from_ssm = _SSM_VALUE.fullmatch(kind)
    if from_ssm:
        # Constraints are those of the name: docs/reference/probes.md, source `parameter-values`.
        _check(name, declaration, "String", given, allowance)
        kind = from_ssm.group(1)
        value = _parsed(kind, _fetched(given, kind, fetch_ssm).text)
        return Parameter(name, given, value, hidden, from_ssm=True)
    value = _parsed(kind, given)
    for item in value if isinstance(value, list) else [value]:
        _check(name, declaration, kind, item, allowance)
    return Parameter(name, given, value, hidden, from_ssm=False)


def type_of_values(kind: str) -> str:
    """Return the type of the values of a parameter: that of a list's items, of SSM's value."""
    for outer in (_SSM_VALUE, _LIST):
        match = outer.fullmatch(kind)
        kind = match.group(1) if match else kind
    return kind


def _is_list(kind: str) -> bool:
    return kind == "CommaDelimitedList" or _LIST.fullmatch(kind) is not None


def _parsed(kind: str, value: str) -> Any:
    if not _is_list(kind):
        return value
    return [item.strip() for item in value.split(",")] if value else []


def _fetched(name: str, kind: str, fetch_ssm: Callable[[str], SsmValue | None]) -> SsmValue:
    found = fetch_ssm(name)
    if found is None:
        raise ValidationError(
            f"Unable to fetch parameters [{name}] from parameter store for this account."
        )
    if found.is_secure:
        raise ValidationError(
            f"Parameters [{name}] referenced by template have types not supported by "
            "CloudFormation."
        )
    if found.is_list != _is_list(kind):
        raise ValidationError(
            f"Types for SSM parameters [{name}] defined in CFN template and SSM are incompatible"
        )
    return found


def _check(
    name: str,
    declaration: Mapping[str, Any],
    kind: str,
    value: str,
    allowance: patterns.Allowance,
) -> None:
    def refuse(message: str) -> ValidationError:
        described = declaration.get("ConstraintDescription")
        if described:
            return ValidationError(f"Parameter '{name}' failed to satisfy constraint: {described}")
        return ValidationError(f"Parameter '{name}' {message}")

    numeric = kind in ("Number", "List<Number>")
    if numeric and not _NUMBER.fullmatch(value.strip()):
        raise refuse("must be a number.")
    allowed = declaration.get("AllowedValues")
    if allowed is not None and value not in [text(item) for item in allowed]:
        raise refuse("must be one of AllowedValues")
    pattern = declaration.get("AllowedPattern")
    if pattern is not None and not _matches(str(pattern), value, allowance):
        raise refuse(f"must match pattern {pattern}")
    for key, wrong, message in _limits(value, numeric):
        limit = declaration.get(key)
        if limit is not None and wrong(float(limit)):
            raise refuse(message.format(text(limit)))


def _matches(pattern: str, value: str, allowance: patterns.Allowance) -> bool:
    try:
        return patterns.matches(pattern, value, whole=True, allowance=allowance)
    except patterns.PatternTimeout:
        return True


def _limits(value: str, numeric: bool) -> list[tuple[str, Callable[[float], bool], str]]:
    """Return the constraints that apply: name, whether a limit is broken, message."""
    length = len(value)
    limits: list[tuple[str, Callable[[float], bool], str]] = [
        ("MinLength", lambda least: length < least, "must contain at least {} characters"),
        ("MaxLength", lambda most: length > most, "must contain at most {} characters"),
    ]
    if numeric:
        number = float(value)
        limits += [
            ("MinValue", lambda least: number < least, "must be a number not less than {}"),
            ("MaxValue", lambda most: number > most, "must be a number not greater than {}"),
        ]
    return limits
