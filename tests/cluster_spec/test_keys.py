"""Keys of the models and their positions."""

from __future__ import annotations

import pytest

from clusterwright.cluster_spec.keys import field_at, is_list, keys_at, models_in, places_of
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import OnDemand, Spot


def test_top_level_keys_are_found() -> None:
    assert {"environment", "compute", "waivers"} <= set(keys_at(()))


def test_keys_in_lists_include_the_list_name() -> None:
    keys = keys_at(("storage", "lustre", 0, "repositories", 1))
    assert {"import", "export", "s3"} <= set(keys)
    assert "import_events" not in keys


def test_selected_union_member_is_used() -> None:
    path = ("compute", 0, "capacity")
    assert keys_at(path) == ["arn", "fallback", "id", "interruptible", "kind", "shares"]
    assert keys_at(path, (*path, "training-plan", "x")) == ["arn", "kind"]
    assert keys_at(path, (*path, "spot", "x")) == ["kind"]


def test_keys_of_an_unknown_path_are_empty() -> None:
    assert keys_at(("nothing", "at", "all")) == []


@pytest.mark.parametrize(
    ("path", "required"),
    [
        (("account",), True),
        (("compute", 5, "count"), True),
        (("compute", 0, "capacity", "arn"), True),
        (("storage", "home", "kind"), True),
        (("storage", "lustre", 0, "repositories", 0, "import"), False),
        (("slurm", "accounting"), False),
    ],
)
def test_fields_are_found_by_path(path: tuple[str | int, ...], required: bool) -> None:
    field = field_at(path)
    assert field is not None
    assert field.is_required() is required


@pytest.mark.parametrize("path", [("nothing",), ("tags", "owner"), ("compute", 0, "nothing")])
def test_unknown_key_has_no_field(path: tuple[str | int, ...]) -> None:
    assert field_at(path) is None


def test_paths_of_a_key_are_found() -> None:
    assert places_of("egress") == ["network.egress"]
    assert "storage.lustre[].mount_path" in places_of("mount_path")
    assert places_of("nothing") == []


def test_annotations_are_resolved() -> None:
    annotation = Cluster.model_fields["compute"].annotation
    assert is_list(annotation)
    assert models_in(list[str]) == []
    assert not is_list(str | None)
    assert models_in(OnDemand | Spot | None) == [OnDemand, Spot]
