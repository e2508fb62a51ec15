"""The models: immutable, strict, and every format has a description and an example."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from clusterwright.cluster_spec.field_docs import docstrings, summary
from clusterwright.cluster_spec.keys import models_in
from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.operations import Day
from tests.support.rich_specs import BUILT


def all_models(model: type[BaseModel] = Cluster) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        for child in models_in(field.annotation):
            yield from all_models(child)


MODELS = list(dict.fromkeys(all_models()))


def test_rich_spec_survives_a_round_trip_through_the_models() -> None:
    cluster = Cluster.model_validate(BUILT)
    dumped = cluster.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert dumped == BUILT


def test_models_are_immutable() -> None:
    cluster = Cluster.model_validate(BUILT)
    with pytest.raises(ValidationError, match="frozen"):
        cluster.account = "444455556666"


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_unknown_keys_are_refused_and_every_field_is_explained(model: type[BaseModel]) -> None:
    assert model.model_config["extra"] == "forbid"
    assert model.model_config["strict"] is True
    assert summary(model).endswith((".", ")"))
    for text in docstrings(model).values():
        assert text.endswith((".", ")", "`")), text


@pytest.mark.parametrize("text_format", formats.ALL, ids=lambda f: f.description)
def test_example_of_a_format_matches_its_pattern(text_format: formats.Format) -> None:
    # Pydantic's regex engine, which supports \p{...}, and Python's, which init uses.
    from pydantic import Field

    adapter: Any = TypeAdapter(
        __import__("typing").Annotated[str, Field(pattern=text_format.pattern)]
    )
    if text_format is not formats.SSH_PUBLIC_KEY:
        assert adapter.validate_python(text_format.example) == text_format.example
    if "\\p{" not in text_format.pattern:
        assert (
            re.search(text_format.pattern, text_format.example)
            or text_format is formats.SSH_PUBLIC_KEY
        )
        assert not re.search(r"\\d|\\w", text_format.pattern)


def test_every_pattern_of_the_models_has_a_description() -> None:
    text = json.dumps(Cluster.model_json_schema())
    patterns = {json.loads(f'"{p}"') for p in re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', text)}
    assert patterns
    assert patterns <= set(formats.DESCRIPTIONS)


@pytest.mark.parametrize("text", ["2027-1-31", "2027-02-30", "20270131", "2027-01-31T00:00", ""])
def test_date_has_one_format(text: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Day).validate_python(text)


@pytest.mark.parametrize("value", [5, 1.5, True, None, []])
def test_date_is_a_string(value: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Day).validate_python(value, strict=True)


def test_date_is_valid() -> None:
    assert TypeAdapter(Day).validate_python("2027-01-31") == datetime.date(2027, 1, 31)


def test_defaults_of_sections_equal_validated_empty_sections() -> None:
    small = {k: BUILT[k] for k in ("environment", "account", "region", "partition", "platform")}
    small |= {"network": BUILT["network"], "compute": BUILT["compute"]}
    parts = ("storage", "identity", "slurm", "image", "resilience", "observability")
    absent = Cluster.model_validate(small)
    empty = Cluster.model_validate({**small, **{part: {} for part in parts}})
    assert absent.model_dump() == empty.model_dump()
