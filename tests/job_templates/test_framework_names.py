"""The names that rendered jobs are tested against are those of the frameworks' packages.

vLLM's are those of its build for TPUs, which is small. Not here: the options of Megatron-Bridge's
launcher and the programs of MLPerf, which no package has, and what TorchTitan Neuron changes in
torchtitan.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.job_templates import framework_sources
from tests.job_templates.framework_names import (
    BRIDGE,
    BRIDGE_PRECISIONS,
    MEGATRON,
    TORCHTITAN,
    TORCHTITAN_COMMAND,
    TRL,
    VLLM,
)
from tools.setup import framework_sources as fetched
from tools.setup.errors import SetupError


@pytest.fixture(scope="module", autouse=True)
def _sources() -> None:
    try:
        fetched.bring_up_to_date()
    except SetupError as error:
        pytest.skip(f"the frameworks' packages cannot be fetched: {error}")


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (MEGATRON, framework_sources.megatron),
        (TORCHTITAN, framework_sources.torchtitan),
        (TRL, framework_sources.trl),
        (BRIDGE, framework_sources.bridge),
        (BRIDGE_PRECISIONS, framework_sources.bridge_precisions),
        (VLLM, framework_sources.vllm),
        (TORCHTITAN_COMMAND, framework_sources.torchtitan_command),
    ],
    ids=["megatron", "torchtitan", "trl", "bridge", "bridge_precisions", "vllm", "neuron"],
)
def test_every_name_is_the_framework_s(
    names: frozenset[str], known: Callable[[], set[str]]
) -> None:
    of_the_launcher = {name for name in names if name.startswith("--") and names is BRIDGE}
    assert sorted(names - known() - of_the_launcher) == []


def test_a_name_that_no_framework_has() -> None:
    assert "--context-parallel" not in framework_sources.megatron()
    assert "model.tensor_parallel" not in framework_sources.bridge()
    assert "training.sequence_length" not in framework_sources.torchtitan()
    assert "--max_tokens" not in framework_sources.trl()
    assert "--tensor-parallel" not in framework_sources.vllm()
    assert "--training.sequence_length" not in framework_sources.torchtitan_command()
    assert "--job.config_file" not in framework_sources.torchtitan_command()
