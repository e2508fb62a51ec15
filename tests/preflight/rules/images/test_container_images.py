"""Container images of a spec."""

from __future__ import annotations

from pathlib import Path

from clusterwright.preflight.rules.images.container_images import container_images
from tests.preflight.rules.support.kubernetes import EKS
from tests.support import specs


def test_the_exporter_is_an_image_and_a_spec_may_have_none(tmp_path: Path) -> None:
    image = f"registry.example/python@sha256:{'0' * 64}"
    spec = specs.load(tmp_path, {**EKS, "observability.metrics": {"image": image}})
    assert list(container_images(spec.cluster)) == [(("observability", "metrics", "image"), image)]
    assert list(container_images(specs.load(tmp_path).cluster)) == []
