"""Whether the fields of an object are those of Kubernetes' schemas, and their values of its types.

`kubernetes_fields.json` and `custom_fields.json` are condensed from the schemas of newest
versions, so a field that only an older cluster lacks is not reported; neither is what a program
fills in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.manifest_file import Item, text_at

POD: Final = "core.v1.PodSpec"

_BOOLEANS: Final = frozenset(["y", "yes", "on", "true", "n", "no", "off", "false"])
"""Words that kubectl's reader takes as booleans: YAML 1.1, https://yaml.org/type/bool.html."""
_TAG: Final = "tag:yaml.org,2002:"
_SCALARS: Final = frozenset(("string", "integer", "number", "boolean", "quantity"))
_EXPECTED: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "quantity": "a quantity",
}

_PLAIN: Final = {
    "integer": re.compile(r"[+-]?\d+"),
    "number": re.compile(r"[+-]?\d+(?:\.\d+)?"),
    "boolean": re.compile("|".join(sorted(_BOOLEANS)), re.IGNORECASE),
}
"""Texts that have the type without quotes; others are placeholders, or wrong otherwise."""


_PLACEHOLDER: Final = re.compile(r"[A-Z]+(?:_[A-Z0-9]+)+")
"""A name that a script replaces, such as `PLACEHOLDER_NUM_NODES`."""


def is_placeholder(text: str) -> bool:
    """Return whether a text is a name that a script replaces."""
    return _PLACEHOLDER.fullmatch(text) is not None


@dataclass(frozen=True)
class Mistake:
    """A field or a value that the API server refuses."""

    message: str
    at: Item
    hint: str | None = None


def object_mistakes(document: Item) -> Iterator[Mistake] | None:
    """Yield the mistakes in an object; None if the kind is not among those that are known."""
    api, kind = text_at(document, "apiVersion"), text_at(document, "kind")
    name = _data()["kinds"].get(f"{api} {kind}")
    if name is not None:
        return _object(document, str(name)) if name else None
    stable = _stable_version(api or "", kind or "")
    at = document.get("apiVersion")
    if stable is None or at is None:
        return None
    return iter([Mistake(f"{api} has no {kind}", at, f"apiVersion: {stable}")])


def _stable_version(api: str, kind: str) -> str | None:
    """The version of a kind that took the place of an alpha or beta version of its group.

    `extensions` was the group of what is in others since Kubernetes 1.22.
    """
    group, _, version = api.rpartition("/")
    known = [one.split(" ")[0] for one in _data()["kinds"] if one.endswith(f" {kind}")]
    if not re.fullmatch(r"v\d+(?:alpha|beta)\d+", version) or api in known:
        return None
    same = [one for one in known if group in ("extensions", one.rpartition("/")[0])]
    return next((one for one in same if re.fullmatch(r"v\d+", one.rpartition("/")[2])), None)


def pod_mistakes(item: Item) -> Iterator[Mistake]:
    """Yield the mistakes in the specification of a pod."""
    return _object(item, POD)


@cache
def _data() -> dict[str, Any]:
    """Kubernetes' own objects, and custom resources, whose definitions refer to them."""
    found: dict[str, Any] = {"kinds": {}, "definitions": {}, "required": {}}
    for name in ("kubernetes_fields.json", "custom_fields.json"):
        read = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
        for part, entries in found.items():
            entries.update(read[part])
    return found


def _fields(name: str) -> dict[str, str]:
    return dict(_data()["definitions"].get(name, {}))


def _object(item: Item, name: str) -> Iterator[Mistake]:
    fields = _fields(name)
    stated = set()
    for key, value in item.entries():
        if key.text is None:
            return  # filled in by a program
        stated.add(key.text)
        if key.text == "status":
            continue
        kind = fields.get(key.text)
        if kind is None:
            yield Mistake(
                f"{_short(name)} has no field {key.text}", key, _hint(key.text, name, fields)
            )
        else:
            yield from _value(value, kind, key)
    for needed in _data()["required"].get(name, ()):
        # Patches of Kustomize leave out what the patched object has, such as a selector.
        if needed not in stated and not name.endswith("Spec"):
            yield Mistake(f"{_short(name)} lacks the required field {needed}", item)


def _value(value: Item, kind: str, key: Item, *, member: bool = False) -> Iterator[Mistake]:
    node = value.node
    if kind == "any" or node.tag == f"{_TAG}null":
        return
    if isinstance(node, ScalarNode) and value.text is None:
        return  # filled in by a program
    if kind.startswith("["):
        if not isinstance(node, SequenceNode):
            yield Mistake(f"{key.text}: expected a list", value)
        for one in value.members():
            yield from _value(one, kind[1:], key, member=True)
    elif kind.startswith("{"):
        if not isinstance(node, MappingNode):
            yield Mistake(f"{key.text}: expected a mapping", value)
        for inner, one in value.entries():
            yield from _value(one, kind[1:], inner)
    elif kind in _SCALARS:
        yield from _scalar(value, kind, key, "" if member else f"{key.text}: ")
    elif not isinstance(node, MappingNode):
        yield Mistake(f"{key.text}: expected a mapping", value)
    else:
        yield from _object(value, kind)


def _scalar(value: Item, kind: str, key: Item, before: str) -> Iterator[Mistake]:
    """The mistake in a scalar; `before` is what stands before it, for hints."""
    node = value.node
    if not isinstance(node, ScalarNode):
        if isinstance(node, MappingNode) and any(
            isinstance(inner, MappingNode) for inner, _ in node.value
        ):
            return  # `{{ .Values.name }}` without quotes
        yield Mistake(f"{key.text}: expected {_EXPECTED[kind]}", value)
        return
    if is_placeholder(node.value):
        return
    found = _read_as(node)
    wrong = {
        "string": found in ("number", "boolean"),
        "integer": found != "number",
        "number": found != "number",
        "boolean": found != "boolean",
        "quantity": found == "boolean",
    }[kind]
    if not wrong:
        return
    hint = None
    if kind == "string":
        hint = f'in quotes: {before}"{node.value}"'
    elif node.style is not None and kind in _PLAIN and _PLAIN[kind].fullmatch(node.value):
        hint = f"without quotes: {before}{node.value}"
    yield Mistake(
        f"{key.text}: expected {_EXPECTED[kind]}, got the {found} {node.value}", value, hint
    )


def _read_as(node: Any) -> str:
    """How kubectl reads a scalar: as a string, number or boolean."""
    if node.style is not None:
        return "string"
    if node.value.lower() in _BOOLEANS:
        return "boolean"
    return "number" if node.tag in (f"{_TAG}int", f"{_TAG}float") else "string"


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _hint(field: str, name: str, fields: dict[str, str]) -> str | None:
    """The definition near this one that has the field: one below it or above it."""
    for start in (_below, _above):
        found, level = {name}, [name]
        for _ in range(3):
            level = [one for here in level for one in start(here) if one not in found]
            found.update(level)
            for one in level:
                if field in _fields(one):
                    return f"{_short(one)} has it: move it there"
    return did_you_mean(field, fields)


def _below(name: str) -> list[str]:
    kinds = (kind.lstrip("[{") for kind in _fields(name).values())
    return [kind for kind in kinds if kind in _data()["definitions"]]


def _above(name: str) -> list[str]:
    return [one for one in _data()["definitions"] if name in _below(one)]
