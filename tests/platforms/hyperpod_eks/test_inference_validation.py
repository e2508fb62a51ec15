"""HyperPod's inference operator: egress paths, and versions that are new enough."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.hyperpod_eks import inference_validation
from tests.support.validation import found

BASE: dict[str, Any] = {
    "platform": "hyperpod-eks",
    "network.egress": "nat",
    "hyperpod": {"inference": {}},
}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"network.egress": "closed"}, "hyperpod.inference", "the network is closed"),
        (
            {"hyperpod": {"inference": {"addon_version": "v0.10.0-eksbuild.9"}}},
            "hyperpod.inference.addon_version",
            "older than v1.0.0-eksbuild.1, the first version of the add-on",
        ),
        (
            {
                "kubernetes": {
                    "addons": [{"name": "metrics-server", "version": "v0.7.2-eksbuild.3"}]
                }
            },
            "kubernetes.addons[0].version",
            "v0.7.2-eksbuild.4",
        ),
    ],
)
def test_unsupported_settings_are_refused(
    changes: dict[str, Any], path: str, message: str
) -> None:
    problems = found(inference_validation.problems, {**BASE, **changes})
    assert list(problems) == [path]
    assert message in problems[path]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"hyperpod": {"inference": {"addon_version": "v1.0.0-eksbuild.1"}}},
        {"hyperpod": {"inference": {"addon_version": "v1.10.0-eksbuild.10"}}},
        {"kubernetes": {"addons": [{"name": "metrics-server", "version": "v0.8.0-eksbuild.1"}]}},
        {"kubernetes": {"addons": [{"name": "vpc-cni", "version": "v0.0.1-eksbuild.1"}]}},
        {"hyperpod": {}, "network.egress": "closed"},
    ],
)
def test_supported_settings_pass(changes: dict[str, Any]) -> None:
    assert found(inference_validation.problems, {**BASE, **changes}) == {}
