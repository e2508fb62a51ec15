"""Input files with changes, and values for property-based tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterwright_node.catalogue import step_names
from clusterwright_node.inputs import (
    parse_cluster,
    parse_deployment,
    parse_provisioning,
    parse_resources,
)
from hypothesis import strategies as st

from tests.nodes.world import RESOURCES, input_files

Edit = Callable[[Any], Any]


def cluster_problems(edit: Edit) -> list[str]:
    value = input_files("managed")["cluster.json"]
    edit(value)
    problems: list[str] = []
    parse_cluster(value, problems, step_names())
    return problems


def deployment_problems(edit: Edit) -> list[str]:
    value = input_files("managed")["deployment.json"]
    edit(value)
    problems: list[str] = []
    parse_deployment(value, problems)
    return problems


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here] if here else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += paths(inner, (*here, key))
    return found


FILES = {
    **input_files("managed"),
    "provisioning_parameters.json": input_files("scripted")["provisioning_parameters.json"],
    "resource_config.json": RESOURCES,
}


PARSERS: dict[str, Callable[[Any, list[str]], Any]] = {
    "cluster.json": lambda value, problems: parse_cluster(value, problems, step_names()),
    "deployment.json": parse_deployment,
    "provisioning_parameters.json": parse_provisioning,
    "resource_config.json": parse_resources,
}
