"""An image of one's own stays behind: it is built from the image of the platform it was for."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.registry import PlatformName
from tests.migration.migrated import moved
from tests.stacks.specs import MINIMAL, changed

IMAGE_ID = "ami-0123456789abcdef0"


@pytest.mark.parametrize("target", ["hyperpod-eks", "parallelcluster", "eks"])
def test_it_is_named_among_what_is_lost(tmp_path: Path, target: PlatformName) -> None:
    spec = changed(MINIMAL, image={"image_id": IMAGE_ID, "released": "2026-09-17"})
    found, there = moved(spec, target, tmp_path / "there.yaml")
    assert there.cluster.image.image_id is None
    assert there.cluster.image.released is None
    (note,) = [note for note in found.lost if note.path == "image.image_id"]
    assert IMAGE_ID in note.what
    assert f"made for {target}" in note.what
