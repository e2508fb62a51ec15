"""The list of jobs as text."""

from __future__ import annotations

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import template_named
from clusterwright.job_templates.rendering import listed
from clusterwright.render.jobs import list_text, settings_text
from tests.job_templates.made import example


def test_available_and_refused() -> None:
    catalog, template = load_catalog(), template_named("nccl-tests")
    able = listed(example("configs/examples/p5-8.yaml"), catalog, template)
    unable = listed(example("configs/examples/trn2-1.yaml"), catalog, template)
    assert list_text([able, unable]) == (
        "bring-up\n"
        "  nccl-tests  NCCL tests  training, p5.48xlarge\n"
        "\n"
        "not for this cluster\n"
        "  nccl-tests needs NVIDIA GPUs, and the compute nodes are trn2.48xlarge\n"
    )
    assert list_text([unable]).startswith("not for this cluster\n")


def test_settings() -> None:
    catalog, template = load_catalog(), template_named("fsdp2")
    text = settings_text([listed(example("configs/examples/trn2-1.yaml"), catalog, template)])
    assert "not for this cluster: fsdp2 needs NVIDIA GPUs" in text
    assert "\nsteps " in text
