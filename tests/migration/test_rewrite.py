"""Every key of a file is kept or reported, whatever the file contains."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec, SpecErrors
from clusterwright.migration import Migration, migrate
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PLATFORMS, PlatformName
from tests.migration.migrated import moved
from tests.support.rich_specs import (
    BUILT,
    EKS,
    FULL,
    HYPERPOD_EKS,
    MINIMAL,
    ON_EKS,
    ON_PARALLELCLUSTER,
    PARALLELCLUSTER,
    PCS_MINIMAL,
    changed,
    paths,
    without,
)

RICH_SPECS = (BUILT, FULL, HYPERPOD_EKS, ON_PARALLELCLUSTER, PARALLELCLUSTER, ON_EKS, EKS, MINIMAL)
"""Specs with nearly every key of their platform."""

IMAGE_ID = "ami-0123456789abcdef0"

EXCLUDED = ("platform", "environment", "waivers", "allow_replacement")


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A rich spec without some of its leaves, as data and as text in one of two styles."""
    data = copy.deepcopy(draw(st.sampled_from(RICH_SPECS)))
    for _ in range(draw(st.integers(0, 6))):
        data = without(data, draw(st.sampled_from(sorted(paths(data), key=str))))
    if draw(st.booleans()):
        return data, json.dumps(data, indent=draw(st.sampled_from([None, 2])))
    from io import StringIO

    stream = StringIO()
    yaml = YAML()
    yaml.default_flow_style = draw(st.sampled_from([False, None]))
    yaml.dump(data, stream)
    return data, stream.getvalue()


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
@given(files(), st.sampled_from(PLATFORMS), st.sampled_from([None, "next"]))
def test_every_leaf_is_kept_or_reported(
    tmp_path_factory: pytest.TempPathFactory,
    file: tuple[dict[str, Any], str],
    target: PlatformName,
    environment: str | None,
) -> None:
    data, text = file
    folder = tmp_path_factory.mktemp("spec")
    spec = loaded(folder / "old.yaml", text)
    assume(spec is not None)
    assert spec is not None
    assume(spec.cluster.platform != target)
    found = migrate(spec, target, load_catalog(), environment=environment)
    assert_every_loss_is_reported(data, found)


def assert_every_loss_is_reported(data: dict[str, Any], found: Migration) -> None:
    after = YAML(typ="safe", pure=True).load(found.text)
    assert isinstance(after, dict)
    notes = (*found.lost, *found.moves, *found.decisions)
    reported = {head(note.path) for note in notes if note.path}
    names = dict(
        pair
        for note in notes
        for pair in re.findall(r"`([^`]+)` is renamed to `([^`]+)`", note.what)
    )
    old, new = dict(leaves(data, names)), dict(leaves(after, {}))
    for path, value in old.items():
        if path.startswith(EXCLUDED) or (path in new and new[path] == value):
            continue
        assert any(path == s or path.startswith((f"{s}.", f"{s}[")) for s in reported), path


def loaded(path: Path, text: str) -> LoadedSpec | None:
    path.write_text(text, encoding="utf-8")
    try:
        return load_cluster(path)
    except SpecErrors:
        return None


def head(path: str) -> str:
    """The controller and the system nodes are one group with two names."""
    return re.sub(r"compute\[(system|controller)\]", "compute[head]", path)


def leaves(value: Any, names: Mapping[str, str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Explicit leaves, groups by their new name."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from leaves(child, names, f"{path}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            label = str(index)
            if path == "compute" and isinstance(child, dict):
                name = str(child.get("name"))
                is_head = child.get("role") in ("controller", "system")
                label = "head" if is_head else names.get(name, name)
            yield from leaves(child, names, f"{path}[{label}]")
    elif value is not None:
        yield path, value


@pytest.mark.parametrize("target", ["hyperpod-eks", "parallelcluster", "eks"])
def test_a_custom_image_is_lost(tmp_path: Path, target: PlatformName) -> None:
    spec = changed(MINIMAL, image={"image_id": IMAGE_ID, "released": "2026-09-17"})
    found, there = moved(spec, target, tmp_path / "there.yaml")
    assert there.cluster.image.image_id is None
    assert there.cluster.image.released is None
    (note,) = [note for note in found.lost if note.path == "image.image_id"]
    assert IMAGE_ID in note.what
    assert f"built for {target}" in note.what


@pytest.mark.parametrize("target", ["parallelcluster", "eks"])
def test_an_interruptible_reservation_stays_on_pcs(tmp_path: Path, target: PlatformName) -> None:
    lent = {"kind": "reservation", "id": "cr-0123456789abcdef0", "interruptible": True}
    spec = changed(PCS_MINIMAL, compute__1__capacity=lent)
    found, there = moved(spec, target, tmp_path / "there.yaml")
    kinds = {group.name: group.capacity.kind for group in there.cluster.compute}
    assert kinds["workers"] == "on-demand"
    (note,) = [note for note in found.lost if note.path == "compute[workers].capacity"]
    assert "cr-0123456789abcdef0" in note.what
    assert "AWS PCS only" in note.what
