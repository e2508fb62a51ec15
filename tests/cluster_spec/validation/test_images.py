"""Images: stated once."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import images
from tests.support.rich_specs import EXISTING
from tests.support.validation import ABSENT, found


def test_consistent_specs_pass() -> None:
    assert found(images.problems) == {}
    assert found(images.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"image.image_id": "ami-0a1b2c3d4e5f60718", "image.auto_patch": ABSENT},
            "image.image_id",
            "image_id and release_version are mutually exclusive",
        ),
        (
            {"image.release_version": ABSENT},
            "image.released",
            "`released` requires an image; without one HyperPod uses its latest release",
        ),
        (
            {
                "image": {
                    "image_id": "ami-0a1b2c3d4e5f60718",
                    "auto_patch": {"strategy": "when-idle"},
                }
            },
            "image.auto_patch",
            "HyperPod does not patch custom AMIs",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(images.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]
