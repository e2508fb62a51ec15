"""Every key that can refer to something outside the file is opened by a rule, or has a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.registry import PLATFORMS
from clusterwright.preflight.references import INTERNAL, REFERENCES, Reference, section
from clusterwright.preflight.registry import all_rules
from clusterwright.preflight.rule_platforms import limits_of
from tests.preflight.platform_specs import rules_with_subjects
from tests.support.leaf_cases import leaves

KEYS = Counter(key for row in REFERENCES for key in row.keys)
OPENED = [row for row in REFERENCES if row.rules]


def texts(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Paths of the fields whose value is text, in lists and mappings too."""
    for name, info in model.model_fields.items():
        path = f"{prefix}.{info.alias or name}".removeprefix(".")
        inner = list(dict.fromkeys(_of(info.annotation, BaseModel)))
        for part in inner:
            yield from texts(part, path + ("[]" if _is_list(info.annotation) else ""))
        if not inner and any(True for _ in _of(info.annotation, str)):
            yield path


def _of(annotation: Any, kind: type) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        return  # a fixed set of words refers to nothing
    if isinstance(annotation, type) and issubclass(annotation, kind):
        yield annotation
    for argument in get_args(annotation):
        yield from _of(argument, kind)


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def test_every_text_of_the_spec_is_a_reference_or_internal() -> None:
    known = set(KEYS) | INTERNAL
    assert sorted(set(texts(Cluster)) - known) == [], (
        "add it to clusterwright.preflight.references"
    )


def test_table_names_keys_of_the_spec_once() -> None:
    spec = set(leaves(Cluster))
    assert sorted(set(KEYS) - spec) == []
    assert sorted(set(INTERNAL) - spec) == []
    assert {key for key, count in KEYS.items() if count > 1} == set()
    assert set(KEYS) & INTERNAL == set()


def test_walker_sees_lists_mappings_and_choices() -> None:
    class Part(BaseModel):
        arn: str | None
        size_gib: int
        mode: Literal["a", "b"]

    class Whole(BaseModel):
        parts: list[Part]
        ids: list[str]
        labels: Mapping[str, str]

    assert list(texts(Whole)) == ["parts[].arn", "ids", "labels"]


@pytest.mark.parametrize("row", REFERENCES, ids=lambda row: row.keys[0])
def test_row_has_rules_that_exist_or_a_reason(row: Reference) -> None:
    assert row.rules or row.reason
    assert set(row.rules) <= {rule.id for rule in all_rules()}
    assert not row.reason.endswith(".")


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, frozenset[str]]:
    folder = tmp_path_factory.mktemp("references")
    return {platform: rules_with_subjects(platform, folder) for platform in PLATFORMS}


@pytest.mark.parametrize("row", OPENED, ids=lambda row: row.keys[0])
def test_rules_of_a_row_look_at_something(
    row: Reference, subjects: dict[str, frozenset[str]]
) -> None:
    for rule in row.rules:
        if rule in ("CW-E010", "CW-W003"):  # their subjects depend on more than the spec
            continue
        where = set(PLATFORMS) - set(limits_of(rule))
        assert where
        assert all(rule in subjects[platform] for platform in where), rule


def test_page_shows_every_key() -> None:
    text = "\n".join(section())
    assert all(f"`{key}`" in text for key in KEYS)
