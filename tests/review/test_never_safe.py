"""The review never calls a change safe when CloudFormation's schema says replacement.

What the schema says is derived here a second time and in another way: from cfn-lint's own reader,
by JSON pointers over the raw templates, references followed as text.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cfn.resource_schemas import Schemas
from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.loading import load_cluster, validate_for_synthesis
from clusterwright.preflight.context import Context
from clusterwright.review.assembly import Assembly, StackTemplate, pseudo_parameters
from clusterwright.review.resource_changes import analyse
from clusterwright.review.review import Question, Version, review
from tests.review.templates import SCHEMAS, app, changes, resource, stack
from tests.support.review_answers import contradictions
from tests.support.rich_specs import ACCOUNT, FULL, changed
from tests.support.synthesis import Assembly as Synthesised

Templates = dict[str, dict[str, Any]]

TODAY = dt.date(2026, 11, 20)

# Every change is realistic; several at once are drawn for each side.
EDITS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("network__availability_zone_id", ("use1-az6", "use1-az2")),
    ("network__second_availability_zone_id", ("use1-az4", "use1-az1")),
    ("network__cidr", ("10.0.0.0/16", "10.9.0.0/16")),
    ("network__egress", ("closed", "nat")),
    ("network__flow_log_retention_days", (30, 60)),
    ("compute__2__count", (8, 16)),
    ("compute__3__name", ("spot", "cheap")),
    ("storage__lustre__0__efa", (True, False)),
    ("storage__lustre__0__capacity_gib", (9600, 19200)),
    ("storage__lustre__0__mount_path", ("/fsx", "/data")),
    ("storage__lustre__0__maintenance_window", ("6:04:30", "7:04:30")),
    ("storage__lustre__0__repositories__0__s3", ("s3://test-corpus/tokens", "s3://other/x")),
    ("storage__lustre__1__hdd_read_cache", (True, False)),
    ("storage__home__capacity_gib", (128, 256)),
    ("storage__buckets__1__name", ("test-results", "test-other")),
    ("identity__kms_key_arn", (None, f"arn:aws:kms:us-east-1:{ACCOUNT}:key/0a1b2c3d-1111")),
    ("slurm__accounting__multi_az", (True, False)),
    ("slurm__accounting__instance_class", ("db.t3.large", "db.m5.large")),
    ("observability__prometheus", (True, False)),
    ("protection", ("retain", "destroy")),
    ("environment", ("test", "other")),
)

edits = st.lists(st.sampled_from(EDITS), max_size=3).flatmap(
    lambda chosen: st.tuples(*(st.tuples(st.just(p), st.sampled_from(v)) for p, v in chosen))
)


@pytest.fixture(scope="session")
def written(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Synthesised]
) -> Callable[[tuple[tuple[str, Any], ...]], tuple[Path, Templates] | None]:
    """A spec with edits, and its templates; None if it is invalid."""
    folder = tmp_path_factory.mktemp("never-safe")
    known: dict[str, tuple[Path, Templates] | None] = {}

    def call(chosen: tuple[tuple[str, Any], ...]) -> tuple[Path, Templates] | None:
        text = json.dumps(changed(FULL, **{"slurm__users": None, **dict(chosen)}), indent=1)
        if text not in known:
            path = folder / f"spec-{len(known)}.yaml"
            path.write_text(text)
            try:
                validate_for_synthesis(load_cluster(path))
                known[text] = (path, synth(path).templates)
            except SpecErrors:
                known[text] = None
        return known[text]

    return call


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(before=edits, after=edits)
def test_schema_replacement_is_a_replacement_in_the_review(
    written: Callable[..., tuple[Path, Templates] | None],
    before: tuple[tuple[str, Any], ...],
    after: tuple[tuple[str, Any], ...],
) -> None:
    one, two = written(before), written(after)
    assume(one is not None and two is not None)
    assert one is not None
    assert two is not None
    expected = replaced(one[1], two[1]) | gone(one[1], two[1])
    analysis = analyse(_assembly(one[1]), _assembly(two[1]), Schemas("us-east-1").of)
    told = {change.name for change in analysis.changes if change.ends}
    assert expected <= told
    precious = {name for name in expected if _type(one[1], name) in PRECIOUS}
    found = _review(one, two)
    assert (found.verdict == "fail") or not precious
    assert precious <= {gate.name for gate in found.failed if gate.gate == "replacement"}
    assert contradictions(found) == []


PRECIOUS = {
    "AWS::FSx::FileSystem",
    "AWS::KMS::Key",
    "AWS::Logs::LogGroup",
    "AWS::RDS::DBInstance",
    "AWS::S3::Bucket",
    "AWS::SageMaker::Cluster",
}


def _all_types() -> list[tuple[str, str]]:
    """Every type with a top-level create-only property, and one such property."""
    index = SCHEMAS._index
    found = []
    for name in sorted(index):
        schema = SCHEMAS.of(name)
        assert schema is not None
        tops = sorted(p[0] for p in schema.create_only if len(p) == 1)
        if tops:
            found.append((name, tops[0]))
    return found


SCALARS = st.one_of(st.text(max_size=5), st.integers(), st.booleans())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)
    ),
    max_leaves=6,
)


@settings(max_examples=300)
@given(chosen=st.sampled_from(_all_types()), old=VALUES, new=VALUES, other=VALUES)
def test_every_create_only_property_is_a_replacement(
    chosen: tuple[str, str], old: Any, new: Any, other: Any
) -> None:
    kind, name = chosen
    assume(_text(old) != _text(new))
    one = app(a=stack({"X": resource(kind, **{name: old, "Zz": other})}))
    two = app(a=stack({"X": resource(kind, **{name: new, "Zz": other})}))
    assert changes(one, two)["a/X"].effect == "replace"


@settings(max_examples=100)
@given(chosen=st.sampled_from(_all_types()), value=VALUES)
def test_equal_values_are_unchanged(chosen: tuple[str, str], value: Any) -> None:
    kind, name = chosen
    one = app(a=stack({"X": resource(kind, **{name: value})}))
    assert changes(one, one) == {}


# --- the second derivation ------------------------------------------------------------------


def replaced(before: Templates, after: Templates) -> set[str]:
    """Resources of both versions whose create-only values differ, and resources that refer to
    them.
    """
    found: set[str] = set()
    while True:
        exported = {
            body["Export"]["Name"]
            for stack_name, template in after.items()
            for body in template.get("Outputs", {}).values()
            if "Export" in body and _mentions(json.dumps(body["Value"]), stack_name, found, set())
        }
        more = {
            name
            for name, old, new in _common(before, after)
            for old_value, new_value in _create_only(old, new)
            if old_value != new_value
            or _mentions(json.dumps(new_value), name.split("/")[0], found, exported)
        }
        if more <= found:
            return found
        found |= more


def gone(before: Templates, after: Templates) -> set[str]:
    return {
        f"{name}/{logical_id}"
        for name, template in before.items()
        for logical_id in template["Resources"]
        if logical_id not in after.get(name, {"Resources": {}})["Resources"]
    }


def _common(
    before: Templates, after: Templates
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for name, template in before.items():
        for logical_id, old in template["Resources"].items():
            new = after.get(name, {}).get("Resources", {}).get(logical_id)
            if new is not None and new["Type"] == old["Type"]:
                yield f"{name}/{logical_id}", old, new


def _create_only(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    if not old["Type"].startswith("AWS::"):
        return
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", old["Type"]).schema
    for pointer in schema.get("createOnlyProperties", ()):
        parts = pointer.split("/")[2:]
        yield _get(old.get("Properties", {}), parts), _get(new.get("Properties", {}), parts)


def _get(value: Any, parts: list[str]) -> Any:
    for part in parts:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _mentions(text: str, stack_name: str, replaced_: set[str], exported: set[str]) -> bool:
    refs = re.findall(r'"Ref": "(\w+)"', text) + re.findall(r'"Fn::GetAtt": \["(\w+)"', text)
    imported = re.findall(r'"Fn::ImportValue": "([^"]+)"', text)
    return any(f"{stack_name}/{ref}" in replaced_ for ref in refs) or bool(
        exported & set(imported)
    )


def _type(templates: Templates, name: str) -> str:
    stack_name, _, logical_id = name.partition("/")
    return str(templates[stack_name]["Resources"][logical_id]["Type"])


def _text(value: Any) -> str:
    """A value as CloudFormation compares it: scalars as text."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{_text(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    return json.dumps(str(value).lower() if isinstance(value, bool) else str(value))


def _assembly(templates: Templates) -> Assembly:
    stacks = {name: StackTemplate(name, body) for name, body in templates.items()}
    return Assembly(stacks, pseudo_parameters(ACCOUNT, "us-east-1", "aws"))


def _review(one: tuple[Path, Templates], two: tuple[Path, Templates]) -> Any:
    versions = [
        Version(Context(load_cluster(path), load_catalog(), TODAY), _assembly(templates))
        for path, templates in (one, two)
    ]
    return review(
        Question(
            base=versions[0],
            change=versions[1],
            base_name="before",
            files=(),
            reader=None,
            offline=True,
            today=TODAY,
        )
    )
