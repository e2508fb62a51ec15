"""The step that moves Enroot to the scratch disks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

from tests.nodes.world import World

CONF = "etc/enroot/enroot.conf"
BASE = "opt/dlami/nvme/enroot"


def test_every_user_has_a_folder(world: Callable[..., World]) -> None:
    node = world("workers-1")
    run = node.run()
    assert run.statuses()["enroot_storage"] == "applied"
    private = node.root / BASE / "user-5001"
    assert private.stat().st_mode & 0o7777 == 0o700
    assert run.machine.owner_of(f"/{BASE}/user-5001") == (5001, 5001)
    assert (node.root / BASE).stat().st_mode & 0o7777 == 0o755
    assert (node.root / BASE / "temporary").stat().st_mode & 0o7777 == 0o1777
    assert (node.root / BASE / "user-1000").is_dir(), "as whom Session Manager lets people in"
    assert node.run().statuses()["enroot_storage"] == "unchanged"


def test_enroot_uses_the_folders(world: Callable[..., World]) -> None:
    """As enroot.in reads the file: the shell expands each value for the calling user."""
    node = world("workers-1")
    node.run()
    expanded = {}
    for line in (node.root / CONF).read_text().splitlines():
        if not line.startswith("#"):
            name, value = line.split(" ", 1)
            expanded[name] = subprocess.run(
                ["/bin/bash", "-c", f'eval echo "{value}"'],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.strip()
    mine = f"/{BASE}/user-{os.getuid()}"
    assert expanded == {
        "ENROOT_RUNTIME_PATH": mine + "/runtime",
        "ENROOT_CACHE_PATH": mine + "/cache",
        "ENROOT_DATA_PATH": mine + "/data",
        "ENROOT_TEMP_PATH": f"/{BASE}/temporary",
    }


def test_other_settings_are_kept_and_duplicates_removed(world: Callable[..., World]) -> None:
    node = world("workers-1")
    conf = node.root / CONF
    conf.parent.mkdir(parents=True)
    conf.write_text(
        "#ENROOT_CACHE_PATH  ${XDG_CACHE_HOME}/enroot\n"
        "ENROOT_CACHE_PATH=/opt/enroot\nENROOT_MOUNT_HOME y\nENROOT_DATA_PATH\t/opt/enroot"
    )
    node.run()
    text = conf.read_text()
    active = [line.split()[0] for line in text.splitlines() if not line.startswith("#")]
    assert sorted(active) == sorted(
        [f"ENROOT_{name}_PATH" for name in ("RUNTIME", "CACHE", "DATA", "TEMP")]
        + ["ENROOT_MOUNT_HOME"]
    )
    assert "# replaced by clusterwright_node: ENROOT_CACHE_PATH=/opt/enroot\n" in text
    assert node.run().statuses()["enroot_storage"] == "unchanged"


def test_enroot_below_usr_local_has_its_own_file(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "usr/bin/enroot").unlink()
    (node.root / "usr/local/bin").mkdir(parents=True)
    (node.root / "usr/local/bin/enroot").write_text("")
    node.run()
    assert (node.root / "usr/local/etc/enroot/enroot.conf").exists()
    assert not (node.root / CONF).exists()


def test_owner_of_a_folder_is_corrected(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    folder = node.root / BASE / "user-5001"
    folder.mkdir(parents=True, mode=0o777)
    folder.chmod(0o777)
    run = node.run()
    assert run.machine.owner_of(f"/{BASE}/user-5001") == (5001, 5001)
    assert folder.stat().st_mode & 0o7777 == 0o700


def test_symbolic_link_instead_of_the_folder_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1")
    elsewhere = node.root / "etc/somewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o750)
    link = node.root / BASE
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    run = node.run()
    assert run.code == 1
    assert f"/{BASE} is a link" in run.last
    assert elsewhere.stat().st_mode & 0o7777 == 0o750


def test_step_is_skipped_without_enroot_or_scratch(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["containers"].update(pyxis=False))
    (node.root / "usr/bin/enroot").unlink()
    assert node.run().end_of("enroot_storage")["hint"] == "the image has no enroot"
    assert world("login-1").run().statuses()["enroot_storage"] == "skipped"
