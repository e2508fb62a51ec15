"""Which shared folders the scenario `race` expects two compute nodes to create."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.scenario_api.outcomes import NotApplicable
from clusterwright_rehearsal.scenarios import race
from packages.rehearsal.tests.scenario_api.contexts import answering, context


def found(folder: Path, *, copies: bool, homes: bool) -> Any:
    """A cluster with a checkpoint folder, whose compute nodes copy checkpoints to it or not."""
    home = SimpleNamespace(mount_path="/home") if homes else None
    storage = SimpleNamespace(lustre=[], home=home, checkpoint_path="/fsx/checkpoints")
    users = [SimpleNamespace(name="ada")]
    made = context(folder, storage=storage, slurm=SimpleNamespace(users=users))
    answering(made, {"systemctl cat clusterwright-checkpoints": (0 if copies else 1, "")})
    return made


@pytest.mark.parametrize(
    ("copies", "homes", "folders"),
    [
        (True, True, ["/home/ada", "/fsx/checkpoints"]),
        (True, False, ["/fsx/checkpoints"]),
        (False, True, ["/home/ada"]),
        (False, False, []),
    ],
)
def test_only_nodes_that_copy_checkpoints_create_their_folder(
    tmp_path: Path, copies: bool, homes: bool, folders: list[str]
) -> None:
    cluster = found(tmp_path, copies=copies, homes=homes)
    assert race._shared(cluster, cluster.compute) == folders


def test_nodes_without_common_folders_have_no_race(tmp_path: Path) -> None:
    with pytest.raises(NotApplicable, match="neither users with shared homes nor compute nodes"):
        race.run(found(tmp_path, copies=False, homes=False))
