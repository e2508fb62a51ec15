"""Writer of the reference page of the spec, from the models.

`python -m tools.docs spec` writes docs/reference/spec.md.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator
from typing import Any

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from clusterwright.cluster_spec.field_docs import docstrings, summary
from clusterwright.cluster_spec.keys import fields_of, is_list, models_in
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.formats import DESCRIPTIONS

HEAD = """# The spec

Generated from `clusterwright/cluster_spec/models` by
`python -m tools.docs spec`.
How to write one: [Write a spec](../how-to/write-a-spec.md).

Units are in the names: `_gib` is GiB (2^30 bytes), `_mbps` MB/s (10^6 bytes per second), `_usd`
US dollars. A key set to `null` is treated as absent. Unknown keys are errors. Constraints between
keys, sizes and instance types are checked when the file is loaded and by `clusterwright check`.
"""


def page() -> str:
    """Return the text of the page."""
    return HEAD + "".join(_section(*found) for found in _sections(Cluster, ""))


def _sections(model: type[BaseModel], path: str) -> Iterator[tuple[str, type[BaseModel]]]:
    yield path, model
    for key, field in fields_of(model).items():
        for child in models_in(field.annotation):
            here = f"{path}.{key}" if path else key
            yield from _sections(child, here + ("[]" if is_list(field.annotation) else ""))


def _section(path: str, model: type[BaseModel]) -> str:
    kind = model.model_fields.get("kind")
    tag = ""
    if (
        kind is not None
        and len(typing.get_args(kind.annotation)) == 1
        and path.endswith("capacity")
    ):
        tag = f", kind {typing.get_args(kind.annotation)[0]}"
    title = f"`{path}`{tag}" if path else "Top level"
    rows = "".join(_row(name, field, model) for name, field in model.model_fields.items())
    table = f"| Key | Type | Default | Meaning |\n|---|---|---|---|\n{rows}"
    return f"\n## {title}\n\n{summary(model)}\n\n{table}"


def _row(name: str, field: FieldInfo, model: type[BaseModel]) -> str:
    meaning = docstrings(model)[name].replace("|", "\\|")
    key = field.alias or name
    return f"| `{key}` | {_type(field)} | {_default(field, key)} | {meaning} |\n"


def _type(field: FieldInfo) -> str:
    return _kind(field.annotation, field.metadata)


def _kind(annotation: Any, metadata: list[Any]) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _kind(arguments[0], [*_facts(arguments[1:]), *metadata])
    if origin is typing.Literal:
        return " \\| ".join(
            f"`{json.dumps(a) if not isinstance(a, str) else a}`" for a in arguments
        )
    if origin is list:
        return f"list of {_kind(arguments[0], [])}" + _length(metadata, "entries")
    if origin is dict:
        return "mapping of string to string" + _length(metadata, "entries")
    if arguments:
        kinds = list(dict.fromkeys(_kind(a, metadata) for a in arguments if a is not type(None)))
        return " or ".join(kinds)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "mapping"
    return _scalar(annotation, metadata)


def _facts(metadata: tuple[Any, ...]) -> list[Any]:
    return [f for m in metadata for f in (m.metadata if isinstance(m, FieldInfo) else [m])]


def _scalar(annotation: Any, metadata: list[Any]) -> str:
    pattern = next((m.pattern for m in metadata if getattr(m, "pattern", None)), None)
    if pattern is not None:
        return DESCRIPTIONS[pattern].replace("|", "\\|")
    if annotation is bool:
        return "`true` \\| `false`"
    if annotation is str:
        return "string" + _length(metadata, "characters")
    word = {int: "integer", float: "number"}.get(annotation, "date, such as 2027-01-31")
    return word + _range(metadata)


def _range(metadata: list[Any]) -> str:
    least = next((m.ge for m in metadata if isinstance(m, Ge)), None)
    above = next((m.gt for m in metadata if isinstance(m, Gt)), None)
    most = next((m.le for m in metadata if isinstance(m, Le)), None)
    if least is not None and most is not None:
        return f", {least:,} to {most:,}"
    if above is not None:
        return f", greater than {above}" + (f", at most {most:,}" if most is not None else "")
    return f", at least {least:,}" if least is not None else ""


def _length(metadata: list[Any], what: str) -> str:
    least = next((m.min_length for m in metadata if isinstance(m, MinLen)), 0)
    most = next((m.max_length for m in metadata if isinstance(m, MaxLen)), None)
    parts = [f"at least {least}"] if least else []
    parts += [f"at most {most:,}"] if most is not None else []
    return f" ({', '.join(parts)} {what})" if parts else ""


_DERIVED = {
    "partition": "from `region`",
    "name": "from `mount_path`",
    "hold": "`true` where nodes are tested",
}


def _default(field: FieldInfo, key: str) -> str:
    if field.is_required():
        return _DERIVED[key] if key == "partition" else "required"
    if field.default_factory is not None or field.default is None:
        return _DERIVED.get(key, "–")
    return f"`{json.dumps(field.default)}`" if field.default not in ([], {}) else "none"
