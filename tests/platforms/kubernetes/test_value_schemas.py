"""Values are refused according to the schema of their chart."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.kubernetes.charts import (
    listed_charts,
)
from clusterwright.platforms.kubernetes.value_schemas import SCHEMAS, refused, value_schema
from clusterwright.platforms.kubernetes.values import chart_values
from clusterwright.platforms.loading import load_cluster
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.rich_specs import changed

CHARTS = "kubernetes__workloads__charts"

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["enabled", "name", "key", "map", "resources", "sleepInterval"]), inner
        )
    ),
    max_leaves=4,
)


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """A chart with NVIDIA's schema of values, whose one template prints its values."""
    folder = tmp_path / "probe"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: probe\nversion: 0.0.1\n")
    (folder / "values.yaml").write_text("{}\n")
    schema = json.loads((SCHEMAS / "nvidia-device-plugin.values.schema.json").read_text())
    (folder / "values.schema.json").write_text(json.dumps(schema))
    (folder / "templates" / "values.yaml").write_text("{{ toYaml .Values }}\n")
    return folder


def helm(
    programs: dict[str, Path], chart: Path, values: dict[str, Any]
) -> subprocess.CompletedProcess[str]:
    given = chart.with_name("given.yaml")
    given.write_text(yaml.safe_dump(values), encoding="utf-8")
    return subprocess.run(
        [programs["helm"], "template", "probe", chart, "--values", given],
        check=False,
        capture_output=True,
        text=True,
        env={"HOME": str(chart.parent)},
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"gfd.enabled": 7}, "nvidia-device-plugin: gfd.enabled is not boolean or null"),
        ({"migStrategies": "mixed"}, "nvidia-device-plugin has no value `migStrategies`"),
        ({"image": "nvidia"}, "nvidia-device-plugin: image is not object"),
        ({"affinity": "none"}, "affinity does not match any of the schemas"),
    ],
)
def test_invalid_chart_values_are_refused_with_their_position(
    tmp_path: Path, values: dict[str, Any], words: str
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(changed(EKS, **{f"{CHARTS}__1__values": values}), indent=1))
    with pytest.raises(SpecErrors) as raised:
        load_cluster(path)
    (problem,) = raised.value.problems
    assert words in problem.message
    assert problem.position is not None
    assert problem.position.line > 1


@pytest.mark.parametrize("name", [n for n, c in listed_charts().items() if c.values_schema])
@pytest.mark.parametrize("spec", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_rendered_values_match_the_schema(load: Load, name: str, spec: dict[str, Any]) -> None:
    values = chart_values(load(spec), load_catalog())
    ours = values.get(name) or values["hyperpod-helm-chart"][name]
    schema = value_schema(name)
    assert schema is not None
    assert list(refused(ours, schema)) == []
    assert set(ours) <= set(schema["properties"])


@given(
    st.dictionaries(
        st.sampled_from(["affinity", "gfd", "config", "tolerations", "image", "nodeSelector"]),
        VALUES,
    )
)
def test_validator_agrees_with_json_schema(values: dict[str, Any]) -> None:
    schema = value_schema("nvidia-device-plugin")
    assert schema is not None
    accepted = not list(jsonschema.Draft7Validator(schema).iter_errors(values))
    assert (not list(refused(values, schema))) == accepted


def test_unknown_json_schema_keyword_is_an_error() -> None:
    with pytest.raises(ValueError, match="pattern"):
        list(refused("a", {"type": "string", "pattern": "b"}))


def test_helm_refuses_what_the_check_refuses(programs: dict[str, Path], chart: Path) -> None:
    answer = helm(programs, chart, {"gfd": {"enabled": 7}})
    assert answer.returncode != 0
    assert "enabled" in answer.stderr


def test_helm_accepts_the_rendered_values(
    load: Load, programs: dict[str, Path], chart: Path
) -> None:
    values = chart_values(load(EKS), load_catalog())["nvidia-device-plugin"]
    answer = helm(programs, chart, values)
    assert answer.returncode == 0, answer.stderr
    assert yaml.safe_load(answer.stdout) == values
