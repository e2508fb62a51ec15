"""CW-J044: The container image is on a file system that every node has."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize("path", ["/home/me/a.sqsh", "~/a.sqsh", "/opt/a.sqsh", "/lustre/a.sqsh"])
def test_elsewhere(path: str) -> None:
    fails("CW-J044", HEAD + f"srun --container-image={path} a\n")


@pytest.mark.parametrize("path", ["/fsx/a.sqsh", "/scratch/a.sqsh", "$IMAGE", "./a.sqsh"])
def test_shared(path: str) -> None:
    passes("CW-J044", HEAD + f"srun --container-image={path} a\n")
