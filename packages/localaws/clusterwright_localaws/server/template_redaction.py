"""Templates of CloudFormation without secrets.

Literal texts are replaced in the properties that the resource's schema has as write-only, that the
service's API model marks as sensitive, or that have the name of a secret; through functions and
mappings, and in defaults of the parameters that such properties refer to or that are `NoEcho`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template_text import parse_text
from clusterwright_localaws.server import wire
from clusterwright_localaws.server.redaction import (
    clean_text,
    hidden,
    names_a_secret,
)

# Why a value is hidden: it is a secret by its name, or may be one as its schema says.
_Hidden = Literal["", "maybe", "secret"]
# Many write-only properties are none: names, places and kinds of other things.
_NAMES_A_THING: Final = re.compile(
    r"^Generate|(Arns?|ARN|Ids?|Identifiers?|Names?|Bucket|Key|Version|Tags|TagSpecifications|Type|Types"
    r"|Mode|Regions?|Location|Ur[il]|Description|Prefix|Path)$"
)
_VARIABLE: Final = re.compile(r"(\$\{[^${}]*\})")
_REFERENCES: Final = frozenset({"Ref", "Fn::GetAtt", "Condition", "Fn::ImportValue", "Fn::GetAZs"})
_SEPARATOR: Final = 3
"""Characters of a separator, which is no secret."""


class Redacted:
    """A template without secrets.

    Attributes
    ----------
    text:
        The template: as it was given if nothing is hidden, else as JSON; None if it cannot be
        read.
    found:
        The secrets.
    parameters:
        Names of the parameters whose values are secrets; None if every one may be.
    """

    def __init__(self, text: str) -> None:
        self.text: str | None = None
        self.found: set[str] = set()
        self.parameters: set[str] | None = None
        self._mappings: set[tuple[str | None, str | None]] = set()
        try:
            document = parse_text(text)
            self.parameters = {
                name
                for name, one in _mapping(document.get("Parameters")).items()
                if is_no_echo(one) or names_a_secret(name)
            }
            shown = self._document(document)
        except (ValidationError, RecursionError, ValueError):
            self.parameters = None
            return
        unchanged = shown == document
        self.text = text if unchanged else json.dumps(shown, ensure_ascii=False)

    def _document(self, document: Mapping[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for name, section in document.items():
            if name not in ("Resources", "Mappings", "Parameters"):
                shown[name] = self._value(section, name)
            elif not isinstance(section, Mapping):
                shown[name] = section
        if isinstance(resources := document.get("Resources"), Mapping):
            shown["Resources"] = {key: self._resource(one) for key, one in resources.items()}
        # What the resources refer to is known now.
        if isinstance(mappings := document.get("Mappings"), Mapping):
            shown["Mappings"] = self._mappings_section(mappings)
        if isinstance(parameters := document.get("Parameters"), Mapping):
            shown["Parameters"] = {
                key: self._parameter(key, one) for key, one in parameters.items()
            }
        return {name: shown[name] for name in document}

    def _resource(self, resource: Any) -> Any:
        if not isinstance(resource, Mapping):
            return self._value(resource)
        kind = str(resource.get("Type", ""))
        return {
            key: self._value(item, kind=kind) if key == "Properties" else self._value(item, key)
            for key, item in resource.items()
        }

    def _mappings_section(self, mappings: Mapping[str, Any]) -> dict[str, Any]:
        def is_hidden(name: str, key: str) -> bool:
            wanted = ((name, key), (name, None), (None, key), (None, None))
            return names_a_secret(key) or any(one in self._mappings for one in wanted)

        return {
            name: {
                top: {
                    key: self._leaves(item) if is_hidden(name, key) else self._value(item, key)
                    for key, item in _mapping(values).items()
                }
                for top, values in _mapping(mapping).items()
            }
            for name, mapping in mappings.items()
        }

    def _parameter(self, name: str, declaration: Any) -> Any:
        if not isinstance(declaration, Mapping) or name not in (self.parameters or ()):
            return self._value(declaration)
        return {
            key: self._leaves(item) if key in ("Default", "AllowedValues") else item
            for key, item in declaration.items()
        }

    def _leaves(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: self._leaves(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._leaves(item) for item in value]
        return hidden(value, self.found)

    def _value(
        self,
        value: Any,
        name: str = "",
        why: _Hidden = "",
        kind: str = "",
        path: tuple[str, ...] = (),
    ) -> Any:
        """Return a value that is called `name`, and is at `path` of a resource of a type."""
        if isinstance(value, Mapping):
            if len(value) == 1:
                ((key, argument),) = value.items()
                is_reference = key in _REFERENCES and isinstance(argument, str | list)
                if is_reference or str(key).startswith("Fn::"):
                    why = self._why(why, name, kind, path)
                    return {key: self._function(key, argument, why)}
            if path and why != "secret":
                why = self._why(why, "", kind, path)
            return {
                key: self._value(item, str(key), why, kind, (*path, str(key)))
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self._value(item, name, why, kind, (*path, "*")) for item in value]
        why = self._why(why, name, kind, path)
        if why == "secret" or (why and isinstance(value, str)):
            return hidden(value, self.found if why == "secret" else set())
        return clean_text(value, self.found) if isinstance(value, str) else value

    def _why(self, why: _Hidden, name: str, kind: str, path: tuple[str, ...]) -> _Hidden:
        if why == "secret" or names_a_secret(name):
            return "secret"
        return "maybe" if why or (path and _is_hidden(kind, path)) else ""

    def _function(self, key: str, argument: Any, why: _Hidden) -> Any:
        if key in _REFERENCES and isinstance(argument, str | list):
            if key == "Ref" and why == "secret" and self.parameters is not None:
                self.parameters.add(str(argument))
            return argument
        if key == "Fn::FindInMap":
            return self._find_in_map(argument, why)
        if not why:
            return self._value(argument)
        if key == "Fn::Sub":
            return self._sub(argument, why)
        if isinstance(argument, list) and argument and isinstance(argument[0], str):
            first, rest = argument[0], argument[1:]
            if key in ("Fn::If", "Fn::Select") or (
                key in ("Fn::Join", "Fn::Split") and len(first) <= _SEPARATOR
            ):
                return [first, *self._value(rest, why=why)]
        if key == "Fn::Transform" and isinstance(argument, Mapping):
            return {
                name: item if name == "Name" else self._value(item, why=why)
                for name, item in argument.items()
            }
        return self._value(argument, why=why)

    def _sub(self, argument: Any, why: _Hidden) -> Any:
        if isinstance(argument, list) and argument:
            return [self._sub(argument[0], why), *self._value(argument[1:], why=why)]
        if not isinstance(argument, str):
            return self._value(argument, why=why)
        shown = ""
        for part in _VARIABLE.split(argument):
            if not _VARIABLE.fullmatch(part):
                shown += str(hidden(part, self.found if why == "secret" else set()))
                continue
            if why == "secret" and self.parameters is not None:
                self.parameters.add(part[2:-1].strip())
            shown += part
        return shown

    def _find_in_map(self, argument: Any, why: _Hidden) -> Any:
        if not why or not isinstance(argument, list) or len(argument) < 3:
            return self._value(argument)
        name, _, key = (one if isinstance(one, str) else None for one in argument[:3])
        self._mappings.add((name, key))
        return [*argument[:3], *self._value(argument[3:], why=why)]


def is_no_echo(declaration: Any) -> bool:
    """Return whether a parameter, of a template or of an answer, is `NoEcho`."""
    return isinstance(declaration, Mapping) and (
        str(declaration.get("NoEcho", "false")).lower() == "true"
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_hidden(kind: str, path: tuple[str, ...]) -> bool:
    """Return whether texts of a property are hidden because of the type's schema or API."""
    while path and path[-1] == "*":
        path = path[:-1]
    name = path[-1] if path else ""
    if name in _sensitive_names(kind):
        return True
    return path in _write_only(kind) and not _NAMES_A_THING.search(name)


@functools.lru_cache(maxsize=512)
def _write_only(kind: str) -> frozenset[tuple[str, ...]]:
    from clusterwright_localaws.cloudformation.schema import resource_schema

    schema = resource_schema(kind, "us-east-1")
    return frozenset() if schema is None else frozenset(schema.write_only)


@functools.lru_cache(maxsize=512)
def _sensitive_names(kind: str) -> frozenset[str]:
    """The members that are sensitive in most structures of the service's API."""
    service = wire.botocore_name(kind.split("::")[1].lower()) if kind.count("::") > 1 else None
    if service is None:
        return frozenset()
    marks: dict[str, list[bool]] = {}
    for name, shape in _members(wire.service_model(service)):
        if shape.type_name in ("string", "blob", "map"):
            marks.setdefault(name, []).append(bool(shape.metadata.get("sensitive")))
    return frozenset(
        form
        for name, found in marks.items()
        if 2 * sum(found) > len(found) and not _NAMES_A_THING.search(name)
        for form in (name, name[:1].upper() + name[1:])
    )


def _members(model: Any) -> Iterator[tuple[str, Any]]:
    for name in model.shape_names:
        shape = model.shape_for(name)
        if shape.type_name == "structure":
            yield from shape.members.items()


def shown_template(text: str) -> tuple[Any, set[str], set[str] | None]:
    """Return what is shown of a template, its secrets, and `Redacted.parameters`."""
    redacted = Redacted(text)
    size = {"bytes": len(text.encode("utf-8", "replace"))}
    shown = size if redacted.text is None else redacted.text
    return shown, redacted.found, redacted.parameters
