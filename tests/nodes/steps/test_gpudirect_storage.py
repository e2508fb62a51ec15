"""The step that verifies GPUDirect Storage."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clusterwright_node.steps import gpudirect_storage

from tests.nodes.world import World

ANSWER = "run/clusterwright/gpudirect-storage"
GDSCHECK = "usr/local/cuda/gds/tools/gdscheck"


def with_gdscheck(node: World) -> World:
    path = node.root / GDSCHECK
    path.parent.mkdir(parents=True)
    path.write_text("")
    return node


def test_module_is_loaded_now_and_at_boot_and_verified(
    world: Callable[..., World],
) -> None:
    node = with_gdscheck(world("workers-1", gdscheck=" Lustre             : Supported"))
    run = node.run()
    assert run.statuses()["gpudirect_storage"] == "applied"
    assert ("modprobe", "nvidia-fs") in run.machine.ran
    name = "etc/modules-load.d/clusterwright-nvidia-fs.conf"
    assert (node.root / name).read_text() == "nvidia-fs\n"
    assert (node.root / ANSWER).read_text() == "works\n"
    again = node.run()
    assert again.statuses()["gpudirect_storage"] == "unchanged"
    assert not any("GPUDirect" in text for text in again.notices())
    assert not any("gdscheck" in argv[0] for argv in again.machine.ran), "it takes seconds"


def test_module_loaded_by_the_image_is_not_changed(world: Callable[..., World]) -> None:
    node = with_gdscheck(world("workers-1"))
    (node.root / "sys/module/nvidia_fs").mkdir(parents=True)
    run = node.run()
    assert ("modprobe", "nvidia-fs") not in run.machine.ran
    assert not (node.root / "etc/modules-load.d").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"missing_modules": ["nvidia-fs"]}, "the image has no kernel module nvidia-fs"),
        ({"broken_modules": ["nvidia-fs"]}, "could not insert 'nvidia_fs': Unknown symbol"),
        ({"gdscheck": " Lustre : Unsupported"}, "gdscheck reports `Lustre : Unsupported`"),
        ({"hanging_commands": ["/" + GDSCHECK]}, "did not end within 60 s"),
    ],
)
def test_failure_is_reported_in_every_run_and_stops_nothing(
    world: Callable[..., World], changes: dict[str, object], said: str
) -> None:
    node = with_gdscheck(world("workers-1", **changes))
    for status in ("applied", "unchanged"):
        run = node.run()
        assert run.code == 0
        assert run.statuses()["gpudirect_storage"] == status
        assert any(said in text for text in run.notices()), run.notices()


def test_missing_gdscheck_is_unknown(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    assert any("has no gdscheck to check" in text for text in run.notices())


def test_verification_is_repeated_after_a_reboot(world: Callable[..., World]) -> None:
    node = with_gdscheck(world("workers-1"))
    node.run().machine.reboot()
    assert node.run().statuses()["gpudirect_storage"] == "applied"


@pytest.mark.parametrize(
    ("line", "works"),
    [
        (" NVMe : Unsupported\n Lustre             : Supported\n", True),
        (" Lustre : nvfs, compat\n", True),
        (" Lustre : compat\n", False),
        (" Lustre : Unsupported\n NVMe : Supported\n", False),
        (" NVMe : Supported\n", False),
        ("", False),
    ],
)
def test_gdscheck_output_is_parsed(line: str, works: bool) -> None:
    assert (gpudirect_storage.judged(line) == "works") is works


def test_step_is_skipped_on_other_types_and_file_systems(world: Callable[..., World]) -> None:
    assert world("controller-1").run().statuses()["gpudirect_storage"] == "skipped"
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["lustre"][0].update(efa=False))
    assert node.run().end_of("gpudirect_storage")["hint"] == "no Lustre file system has EFA"
