"""Validation of chart values against the chart's `values.schema.json`, where it has one.

It supports only the JSON Schema keywords that these schemas use; any other is an internal error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.platforms.kubernetes.charts import listed_charts

SCHEMAS: Final = Path(__file__).with_name("schemas")

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
}
_KNOWN: Final = frozenset(
    {"$schema", "$comment", "type", "properties", "additionalProperties", "items", "anyOf"}
    | {"const"}
)


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield values that the chart's schema refuses, and unknown keys."""
    if not cluster.uses_kubernetes:
        return
    for index, chart in enumerate(cluster.kubernetes.workloads.charts):
        schema = value_schema(chart.name)
        if schema is None:
            continue
        for path, value in chart.values.items():
            parts = path.split(".")
            nested: Any = value
            for part in reversed(parts):
                nested = {part: nested}
            here = ("kubernetes", "workloads", "charts", index, "values", path)
            keys = sorted(schema["properties"])
            if parts[0] not in keys:
                yield Problem(
                    f"{chart.name} has no value `{parts[0]}`",
                    here,
                    hint=did_you_mean(parts[0], keys),
                )
            for message in refused(nested, schema):
                yield Problem(f"{chart.name}: {message}", here)


@cache
def value_schema(chart: str) -> dict[str, Any] | None:
    """Return the chart's schema of its values; None without one."""
    name = listed_charts()[chart].values_schema
    if name is None:
        return None
    schema: dict[str, Any] = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    return schema


def refused(value: Any, schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield a message for each mistake in `value`."""
    unknown = set(schema) - _KNOWN
    if unknown:
        raise ValueError(f"unsupported keywords in a chart's schema: {', '.join(sorted(unknown))}")
    where = path or "the values"
    if "anyOf" in schema and all(list(refused(value, one, path)) for one in schema["anyOf"]):
        yield f"{where} does not match any of the schemas that the chart allows"
    if "const" in schema and value != schema["const"]:
        yield f"{where} is not {schema['const']!r}"
    if "type" in schema and not _is(value, schema["type"]):
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        yield f"{where} is not {' or '.join(types)}"
        return
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key, child in value.items():
            below = properties.get(key, schema.get("additionalProperties"))
            if below is not None:
                yield from refused(child, below, f"{path}.{key}".lstrip("."))
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from refused(item, schema["items"], f"{path}[{number}]")


def _is(value: Any, types: str | list[str]) -> bool:
    for name in types if isinstance(types, list) else [types]:
        if isinstance(value, bool) and name == "integer":
            continue
        if isinstance(value, _TYPES[name]):
            return True
    return False
