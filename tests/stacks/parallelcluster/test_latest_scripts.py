"""The latest scripts at a fixed address."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stacks.templates import only, text_of
from tests.support.rich_specs import PARALLELCLUSTER, changed
from tests.support.synthesis import Assembly, Build

CUSTOM = "Custom::PclusterCluster"


def configuration(assembly: Assembly) -> Any:
    return only(assembly, CUSTOM)["ClusterConfiguration"]


@pytest.mark.parametrize("change", [{"slurm__users": []}, {"storage__checkpoint_path": None}])
def test_changed_scripts_do_not_change_immutable_arguments(
    change: dict[str, Any], build: Build
) -> None:
    """Update policy of the head node's and login nodes' OnNodeConfigured: UNSUPPORTED."""

    def words(spec: dict[str, Any]) -> tuple[list[str], str]:
        found = configuration(build(spec))
        lasting = [found["HeadNode"], *found["LoginNodes"]["Pools"]]
        queue = found["Scheduling"]["SlurmQueues"][0]
        return (
            [text_of(each["CustomActions"]["OnNodeConfigured"]) for each in lasting],
            text_of(queue["CustomActions"]["OnNodeConfigured"]),
        )

    before, after = words(PARALLELCLUSTER), words(changed(PARALLELCLUSTER, **change))
    assert before[0] == after[0]
    assert before[1] != after[1]
