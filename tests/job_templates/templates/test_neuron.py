"""Trainium: TorchTitan Neuron on Trn2, and why Trn1 is refused."""

from __future__ import annotations

import re

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import TORCHTITAN_COMMAND
from tests.job_templates.made import example, findings, rendered

TRN2 = "configs/examples/trn2-1.yaml"


def test_trn2_has_64_workers_on_a_node() -> None:
    cluster = example(TRN2)
    text = rendered("neuron", cluster, compile="yes", keep="1")
    assert "--nnodes=1 --nproc-per-node=64 \\\n" in text
    assert "--checkpoint.keep_latest_k=2 \\\n" in text
    assert "--compile.backend=neuron &\n" in text
    assert "NCCL" not in text.partition("begin_training\n")[2]
    assert findings(text, cluster) == []


def test_every_argument_is_one_of_torchtitan() -> None:
    step = rendered("neuron", example(TRN2), compile="yes").partition("-m torchtitan.train")[2]
    names = set(re.findall(r"^  (--[a-z._]+)", step, re.MULTILINE))
    assert names == TORCHTITAN_COMMAND


def test_trn1_is_refused_with_the_release_that_it_needs() -> None:
    with pytest.raises(RefusedError, match=r"NxD Training.*sdk2\.28 in its tag"):
        rendered("neuron", example("configs/examples/trn1-1.yaml"))


def test_gpus_are_refused() -> None:
    with pytest.raises(RefusedError, match="neuron needs AWS Trainium"):
        rendered("neuron", partition="gpu")
