"""Values of charts, by the groups of the spec."""

from __future__ import annotations

import yaml

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.values import HYPERPOD_JOB, chart_values
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD


def test_plugins_run_on_nodes_with_devices(load: Load) -> None:
    values = chart_values(load(EKS), load_catalog())
    terms = values["nvidia-device-plugin"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    assert terms[0]["matchExpressions"][0]["values"] == ["p5.48xlarge"]
    efa = values["aws-efa-k8s-device-plugin"]["supportedInstanceLabels"]
    assert efa["values"] == ["p5.48xlarge", "trn2.48xlarge"]
    assert values["neuron-helm-chart"]["neuronInstances"] == ["trn2.48xlarge"]
    # Values of the spec take precedence.
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


def test_configuration_of_kueue_is_valid(load: Load) -> None:
    text = chart_values(load(HYPERPOD), load_catalog())["kueue"]["managerConfig"][
        "controllerManagerConfigYaml"
    ]
    configuration = yaml.safe_load(text)
    assert configuration["kind"] == "Configuration"
    assert configuration["fairSharing"]["enable"] is True
    assert configuration["integrations"]["externalFrameworks"] == [HYPERPOD_JOB]
