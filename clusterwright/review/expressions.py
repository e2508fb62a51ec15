"""Symbolic values of templates before a deployment, for comparison.

Equal expressions have equal values as long as their references do not change. Unequal expressions
count as different values.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

NO_VALUE: Final = ("no-value",)
"""`AWS::NoValue`: the property is absent."""

_PSEUDO: Final = ("AWS::AccountId", "AWS::Partition", "AWS::Region", "AWS::URLSuffix")
_SUB: Final = re.compile(r"\$\{([^!}][^}]*)\}")
_VOLATILE_PARAMETER: Final = "AWS::SSM::Parameter::Value"

Expression = Any
"""A scalar as text, a list, a mapping, or a tuple whose first element is its kind."""


@dataclass(frozen=True)
class Reference:
    """A reference to a value outside the property."""

    kind: str
    """`ref`, `attribute`, `import`, or `parameter` (resolved at deployment)."""

    name: str
    attribute: str | None = None


@dataclass
class Scope:
    """One stack's template, with its pseudo parameters and parameters."""

    stack: str
    template: Mapping[str, Any]
    pseudo_parameters: Mapping[str, str] = field(default_factory=dict)
    """Pseudo parameters, such as `AWS::Region`."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameter values; without one the template's default applies."""

    def value(self, value: Any) -> Expression:
        """The expression of a value of the template."""
        if isinstance(value, Mapping):
            if len(value) == 1:
                ((name, argument),) = value.items()
                function = _FUNCTIONS.get(str(name))
                if function is not None:
                    return function(self, argument)
                if str(name).startswith("Fn::"):
                    return ("fn", str(name), _frozen(self.value_of_argument(argument)))
            return self._mapping(value)
        if isinstance(value, (list, tuple)):
            items = [self.value(item) for item in value]
            return [item for item in items if item != NO_VALUE]
        return scalar(value)

    def value_of_argument(self, argument: Any) -> Expression:
        """As `value`, for the argument of an unsupported function."""
        return self.value(argument)

    def condition(self, expression: Any) -> bool | None:
        """The value of a condition; None where it is known at deployment only."""
        if isinstance(expression, str):
            found = self.section("Conditions").get(expression)
            return None if found is None else self.condition(found)
        if not isinstance(expression, Mapping) or len(expression) != 1:
            return None
        ((name, argument),) = expression.items()
        if name == "Condition":
            return self.condition(argument)
        if not isinstance(argument, list):
            return None
        if name == "Fn::Equals" and len(argument) == 2:
            left, right = (self.value(item) for item in argument)
            if isinstance(left, str) and isinstance(right, str):
                return left == right
            return None
        parts = [self.condition(item) for item in argument]
        if name == "Fn::Not" and len(parts) == 1:
            return None if parts[0] is None else not parts[0]
        if name == "Fn::And":
            return False if False in parts else (None if None in parts else True)
        if name == "Fn::Or":
            return True if True in parts else (None if None in parts else False)
        return None

    def condition_expression(self, name: Any) -> Expression:
        """The expression of a named condition, for comparison with another template."""
        known = self.condition(name)
        if known is not None:
            return known
        found = self.section("Conditions").get(name) if isinstance(name, str) else name
        return ("condition", _frozen(self._condition_parts(found)))

    def section(self, name: str) -> Mapping[str, Any]:
        """A section of the template; empty where there is none."""
        found = self.template.get(name)
        return found if isinstance(found, Mapping) else {}

    @property
    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """Resources by logical id, without loops (`Fn::ForEach`), see `unresolved`."""
        return {
            str(name): body
            for name, body in self.section("Resources").items()
            if isinstance(body, Mapping) and "Type" in body
        }

    @property
    def unresolved(self) -> str | None:
        """Why the resources are unknown from the template alone; None where they are known."""
        transform = self.template.get("Transform")
        loops = [n for n in self.section("Resources") if str(n).startswith("Fn::")]
        if transform:
            names = transform if isinstance(transform, list) else [transform]
            return f"it is transformed at deployment by {', '.join(map(str, names))}"
        return f"it has {', '.join(map(str, loops))} among its resources" if loops else None

    def _mapping(self, value: Mapping[str, Any]) -> Expression:
        items = {str(key): self.value(item) for key, item in value.items()}
        return {key: item for key, item in items.items() if item != NO_VALUE}

    def _condition_parts(self, expression: Any) -> Expression:
        if isinstance(expression, Mapping):
            if len(expression) == 1 and "Condition" in expression:
                return self.condition_expression(expression["Condition"])
            if len(expression) == 1 and str(next(iter(expression))) in (
                "Fn::And",
                "Fn::Or",
                "Fn::Not",
            ):
                ((name, parts),) = expression.items()
                return (name, [self._condition_parts(part) for part in parts])
        return self.value(expression)

    def _ref(self, name: Any) -> Expression:
        name = str(name)
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in self.pseudo_parameters:
            return self.pseudo_parameters[name]
        if name in _PSEUDO or name.startswith("AWS::"):
            # The same for every revision of a stack, and for every stack of an account and region.
            return ("pseudo", name if name in _PSEUDO else f"{self.stack}:{name}")
        declared = self.section("Parameters").get(name)
        if isinstance(declared, Mapping):
            return self._parameter(name, declared)
        return ("ref", name)

    def _parameter(self, name: str, declared: Mapping[str, Any]) -> Expression:
        kind = str(declared.get("Type", "String"))
        value = self.parameters.get(name, declared.get("Default"))
        if kind.startswith(_VOLATILE_PARAMETER):
            return ("parameter", name, scalar(value))
        if value is None:
            return ("given", name)
        text = scalar(value)
        if kind == "CommaDelimitedList" or kind.startswith("List<"):
            return [part.strip() for part in str(text).split(",")]
        return text


def _ref(scope: Scope, argument: Any) -> Expression:
    return scope._ref(argument)


def _get_att(scope: Scope, argument: Any) -> Expression:
    if isinstance(argument, str):
        name, _, attribute = argument.partition(".")
        return ("attribute", name, attribute)
    if isinstance(argument, list) and len(argument) == 2:
        attribute = scope.value(argument[1])
        return (
            "attribute",
            str(argument[0]),
            attribute if isinstance(attribute, str) else _frozen(attribute),
        )
    return ("fn", "Fn::GetAtt", _frozen(scope.value(argument)))


def _sub(scope: Scope, argument: Any) -> Expression:
    text, own = argument, {}
    if isinstance(argument, list) and len(argument) == 2 and isinstance(argument[1], Mapping):
        text, own = argument
    if not isinstance(text, str):
        return ("fn", "Fn::Sub", _frozen(scope.value(argument)))
    parts: list[Expression] = []
    last = 0
    for found in _SUB.finditer(text):
        parts.append(text[last : found.start()].replace("${!", "${"))
        name = found.group(1).strip()
        if name in own:
            parts.append(scope.value(own[name]))
        elif "." in name and name not in scope.section("Parameters"):
            parts.append(_get_att(scope, name))
        else:
            parts.append(scope._ref(name))
        last = found.end()
    parts.append(text[last:].replace("${!", "${"))
    return _joined(parts)


def _join(scope: Scope, argument: Any) -> Expression:
    if isinstance(argument, list) and len(argument) == 2 and isinstance(argument[0], str):
        items = scope.value(argument[1])
        if isinstance(items, list):
            parts: list[Expression] = []
            for index, item in enumerate(items):
                if index:
                    parts.append(argument[0])
                parts.append(item)
            return _joined(parts)
    return ("fn", "Fn::Join", _frozen(scope.value(argument)))


def _find_in_map(scope: Scope, argument: Any) -> Expression:
    if isinstance(argument, list) and len(argument) >= 3:
        keys = [scope.value(item) for item in argument[:3]]
        here: Any = scope.section("Mappings")
        for key in keys:
            here = here.get(key) if isinstance(here, Mapping) and isinstance(key, str) else None
        if here is not None:
            return scope.value(here)
        # The key is known at deployment only: the value depends on the whole map.
        name = keys[0] if isinstance(keys[0], str) else None
        body = scope.section("Mappings").get(name) if name else scope.section("Mappings")
        return ("fn", "Fn::FindInMap", _frozen(scope.value(argument)), _frozen(body))
    return ("fn", "Fn::FindInMap", _frozen(scope.value(argument)))


def _if(scope: Scope, argument: Any) -> Expression:
    if isinstance(argument, list) and len(argument) == 3:
        holds = scope.condition(argument[0])
        if holds is not None:
            return scope.value(argument[1 if holds else 2])
        yes, no = scope.value(argument[1]), scope.value(argument[2])
        asked = scope.condition_expression(argument[0])
        return ("if", _frozen(asked), _frozen(yes), _frozen(no))
    return ("fn", "Fn::If", _frozen(scope.value(argument)))


def _import(scope: Scope, argument: Any) -> Expression:
    return ("import", _frozen(scope.value(argument)))


def _select(scope: Scope, argument: Any) -> Expression:
    if isinstance(argument, list) and len(argument) == 2:
        index, items = scope.value(argument[0]), scope.value(argument[1])
        known = isinstance(index, str) and index.isdigit() and isinstance(items, list)
        if known and int(index) < len(items):
            return items[int(index)]
    return ("fn", "Fn::Select", _frozen(scope.value(argument)))


def _split(scope: Scope, argument: Any) -> Expression:
    if isinstance(argument, list) and len(argument) == 2:
        delimiter, text = scope.value(argument[0]), scope.value(argument[1])
        if isinstance(delimiter, str) and delimiter and isinstance(text, str):
            return text.split(delimiter)
    return ("fn", "Fn::Split", _frozen(scope.value(argument)))


_FUNCTIONS: Final[dict[str, Callable[[Scope, Any], Expression]]] = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::Sub": _sub,
    "Fn::Join": _join,
    "Fn::FindInMap": _find_in_map,
    "Fn::If": _if,
    "Fn::ImportValue": _import,
    "Fn::Select": _select,
    "Fn::Split": _split,
}


def scalar(value: Any) -> Expression:
    """A scalar as CloudFormation text: `5` and `"5"` are equal, as are `true` and `"true"`."""
    if value is None:
        return NO_VALUE
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def references(expression: Expression) -> Iterator[Reference]:
    """Every reference of an expression."""
    kind = expression[0] if isinstance(expression, tuple) and expression else None
    if kind == "ref":
        yield Reference("ref", str(expression[1]))
    elif kind == "attribute":
        yield Reference("attribute", str(expression[1]), str(expression[2]))
    elif kind == "parameter":
        yield Reference("parameter", str(expression[1]))
    else:
        if kind == "import":
            name = expression[1]
            yield Reference("import", name if isinstance(name, str) else "")
        for part in _parts(expression):
            yield from references(part)


def _parts(expression: Expression) -> Iterable[Expression]:
    """The expressions directly inside an expression."""
    if isinstance(expression, Mapping):
        return expression.values()
    if isinstance(expression, list):
        return expression
    if not isinstance(expression, tuple):
        return ()
    if expression[:1] in (("join",), ("list",)):
        return cast(Iterable[Expression], expression[1])
    if expression[:1] == ("map",):
        return [value for _, value in expression[1]]
    return expression[1:]


def shown(expression: Expression) -> str:
    """An expression for display, with references as `<name>`."""
    if isinstance(expression, str):
        return expression
    if isinstance(expression, tuple):
        match expression:
            case ("ref", name):
                return f"<{name}>"
            case ("attribute", name, attribute):
                return f"<{name}.{attribute}>"
            case ("import", name):
                return f"<{shown(name)}>"
            case ("pseudo", name):
                return f"<{name}>"
            case ("join", parts):
                return "".join(shown(part) for part in parts)
            case ("parameter", name, _):
                return f"<{name}>"
            case _:
                return json.dumps(_plain(expression), ensure_ascii=False)
    return json.dumps(_plain(expression), ensure_ascii=False)


def _plain(expression: Expression) -> Any:
    if isinstance(expression, Mapping):
        return {key: _plain(item) for key, item in expression.items()}
    if isinstance(expression, list):
        return [_plain(item) for item in expression]
    if isinstance(expression, tuple):
        if expression[:1] == ("map",):
            return {key: _plain(item) for key, item in expression[1]}
        if expression[:1] == ("list",):
            return [_plain(item) for item in expression[1]]
        if expression[:1] in (("fn",), ("if",), ("condition",)):
            return [_plain(item) for item in expression]
        return shown(expression)
    return expression


def _joined(parts: list[Expression]) -> Expression:
    """The join of parts; adjacent literals are merged, nested joins are flattened."""
    flat: list[Expression] = []
    for part in parts:
        pieces = list(part[1]) if isinstance(part, tuple) and part[:1] == ("join",) else [part]
        for piece in pieces:
            if isinstance(piece, str) and flat and isinstance(flat[-1], str):
                flat[-1] += piece
            elif piece != "":
                flat.append(piece)
    if not flat:
        return ""
    if len(flat) == 1 and isinstance(flat[0], str):
        return flat[0]
    if len(flat) == 1 and isinstance(flat[0], tuple):
        return flat[0]
    return ("join", tuple(_frozen(piece) for piece in flat))


def _frozen(expression: Any) -> Any:
    """The same inside a tuple, where lists and mappings would not compare in order."""
    if isinstance(expression, Mapping):
        return ("map", tuple(sorted((str(k), _frozen(v)) for k, v in expression.items())))
    if isinstance(expression, list):
        return ("list", tuple(_frozen(item) for item in expression))
    return expression
