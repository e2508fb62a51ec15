"""Charts: pinned or refused; values by the charts' own schemas, and as Helm itself reads them."""

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
from clusterwright.cluster_spec.models.workloads import Chart
from clusterwright.platforms.kubernetes import charts_page
from clusterwright.platforms.kubernetes.charts import (
    UNKNOWN,
    UnknownChartError,
    listed_charts,
    pinned_charts,
    wanted_charts,
)
from clusterwright.platforms.kubernetes.value_schemas import SCHEMAS, refused, value_schema
from clusterwright.platforms.kubernetes.values import HYPERPOD_JOB, chart_values
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PLATFORMS, traits_of
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import DIGEST, EKS, HYPERPOD
from tests.stacks.specs import changed

CHARTS = "kubernetes__workloads__charts"


def test_the_list_has_what_the_spec_can_name() -> None:
    names = set(Chart.model_fields["name"].annotation.__args__)  # type: ignore[union-attr]
    assert (
        set(listed_charts())
        == names
        == {chart for name in PLATFORMS for chart in traits_of(name).charts}
    )
    for chart in listed_charts().values():
        assert chart.source
        assert chart.date
        assert chart.values_schema is None or (SCHEMAS / chart.values_schema).is_file()


def test_no_digest_is_made_up() -> None:
    """No chart's archive could be read: whoever fills one in says so in the documentation."""
    assert {chart.sha256 for chart in listed_charts().values()} == {None}


def test_what_nobody_has_read_is_refused(load: Load) -> None:
    with pytest.raises(UnknownChartError) as raised:
        pinned_charts(load(changed(EKS, **{CHARTS: []})), load_catalog())
    assert raised.value.labels == [
        "nvidia-device-plugin (sha256)",
        "neuron-helm-chart (version and sha256)",
        "aws-efa-k8s-device-plugin (sha256)",
        "kueue (sha256)",
    ]


def test_a_digest_is_of_one_version(load: Load) -> None:
    found = pinned_charts(load(EKS), load_catalog())
    assert [(c.name, c.version, c.sha256) for c in found] == [
        ("nvidia-device-plugin", "0.16.1", DIGEST),
        ("neuron-helm-chart", "1.2.3", DIGEST),
        ("aws-efa-k8s-device-plugin", "0.5.20", DIGEST),
        ("kueue", "0.12.3", DIGEST),
    ]
    other = load(changed(EKS, **{f"{CHARTS}__0": {"name": "kueue", "version": "0.14.0"}}))
    with pytest.raises(UnknownChartError, match=r"kueue \(sha256\)"):
        pinned_charts(other, load_catalog())
    assert UNKNOWN not in [c.sha256 for c in found]


def test_charts_follow_the_groups(load: Load) -> None:
    spec = changed(EKS, compute=EKS["compute"][:2], **{CHARTS: []})
    assert wanted_charts(load(spec), load_catalog()) == [
        "nvidia-device-plugin",
        "aws-efa-k8s-device-plugin",
        "kueue",
    ]


def test_plugins_run_where_the_devices_are(load: Load) -> None:
    values = chart_values(load(EKS), load_catalog())
    terms = values["nvidia-device-plugin"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    assert terms[0]["matchExpressions"][0]["values"] == ["p5.48xlarge"]
    efa = values["aws-efa-k8s-device-plugin"]["supportedInstanceLabels"]
    assert efa["values"] == ["p5.48xlarge", "trn2.48xlarge"]
    assert values["neuron-helm-chart"]["neuronInstances"] == ["trn2.48xlarge"]
    # What the spec sets itself comes last.
    assert values["nvidia-device-plugin"]["gfd"] == {"enabled": True}
    hyperpod = chart_values(load(HYPERPOD), load_catalog())["hyperpod-helm-chart"]
    assert hyperpod["aws-efa-k8s-device-plugin"]["supportedInstanceLabels"]["values"] == [
        "ml.p5.48xlarge",
        "ml.trn2.48xlarge",
    ]
    tolerated = hyperpod["nvidia-device-plugin"]["tolerations"]
    assert {"key": "team.example.com/model", "operator": "Equal", "value": "large"} | {
        "effect": "NoExecute"
    } in tolerated


def test_kueue_reads_its_configuration(load: Load) -> None:
    text = chart_values(load(HYPERPOD), load_catalog())["kueue"]["managerConfig"][
        "controllerManagerConfigYaml"
    ]
    configuration = yaml.safe_load(text)
    assert configuration["kind"] == "Configuration"
    assert configuration["fairSharing"]["enable"] is True
    assert configuration["integrations"]["externalFrameworks"] == [HYPERPOD_JOB]


# -- the charts' own schemas --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"gfd.enabled": 7}, "nvidia-device-plugin: gfd.enabled is not boolean or null"),
        ({"migStrategies": "mixed"}, "nvidia-device-plugin has no value `migStrategies`"),
        ({"image": "nvidia"}, "nvidia-device-plugin: image is not object"),
        ({"affinity": "none"}, "affinity has none of the types"),
    ],
)
def test_values_that_the_chart_refuses_are_refused_at_their_place(
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
def test_our_values_fit_the_schema(load: Load, name: str, spec: dict[str, Any]) -> None:
    values = chart_values(load(spec), load_catalog())
    ours = values.get(name) or values["hyperpod-helm-chart"][name]
    schema = value_schema(name)
    assert schema is not None
    assert list(refused(ours, schema)) == []
    assert set(ours) <= set(schema["properties"])


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


@given(
    st.dictionaries(
        st.sampled_from(["affinity", "gfd", "config", "tolerations", "image", "nodeSelector"]),
        VALUES,
    )
)
def test_the_check_agrees_with_json_schema(values: dict[str, Any]) -> None:
    schema = value_schema("nvidia-device-plugin")
    assert schema is not None
    accepted = not list(jsonschema.Draft7Validator(schema).iter_errors(values))
    assert (not list(refused(values, schema))) == accepted


def test_a_word_of_json_schema_that_is_not_known_is_no_silence() -> None:
    with pytest.raises(ValueError, match="pattern"):
        list(refused("a", {"type": "string", "pattern": "b"}))


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


def test_helm_takes_our_values_as_they_are(
    load: Load, programs: dict[str, Path], chart: Path
) -> None:
    values = chart_values(load(EKS), load_catalog())["nvidia-device-plugin"]
    answer = helm(programs, chart, values)
    assert answer.returncode == 0, answer.stderr
    assert yaml.safe_load(answer.stdout) == values


def test_helm_refuses_what_our_check_refuses(programs: dict[str, Path], chart: Path) -> None:
    answer = helm(programs, chart, {"gfd": {"enabled": 7}})
    assert answer.returncode != 0
    assert "enabled" in answer.stderr


def test_the_page_counts_unread_archives() -> None:
    assert "nobody has read the archive of 6" in " ".join(charts_page.page().split())
