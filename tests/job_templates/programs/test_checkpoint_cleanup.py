"""Clean-up of checkpoints, on real folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.job_templates.programs.loading import program

cleanup = program("checkpoint_cleanup")


def add(folder: Path, *names: str, whole: bool = True, marker: str = ".metadata") -> None:
    for name in names:
        path = folder / name
        path.mkdir(parents=True)
        (path / "shard-0").write_bytes(b"x" * 1000)
        if whole:
            (path / marker).touch()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_by_default_nothing_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(tmp_path, "step-10", "step-20", "step-30")
    assert cleanup.main([str(tmp_path), "--keep=1"]) == 0
    assert names(tmp_path) == ["step-10", "step-20", "step-30"]
    out = capsys.readouterr().out
    assert "would remove step-10, whole" in out
    assert "2 checkpoints, 0.00 GiB could be removed: render with --set remove=yes" in out


def test_the_last_whole_ones_by_their_step(tmp_path: Path) -> None:
    add(tmp_path, "step-9", "step-100", "step-20", "step-3")
    assert cleanup.main([str(tmp_path), "--keep=2", "--remove"]) == 0
    assert names(tmp_path) == ["step-100", "step-20"]
    assert cleanup.main([str(tmp_path), "--keep=2", "--remove"]) == 0
    assert names(tmp_path) == ["step-100", "step-20"]


@pytest.mark.parametrize("keep", ["0", "-5", "1"])
def test_the_newest_whole_one_is_never_removed(tmp_path: Path, keep: str) -> None:
    add(tmp_path, "step-1", "step-2")
    add(tmp_path, "step-3", "step-4", whole=False)
    assert cleanup.main([str(tmp_path), f"--keep={keep}", "--remove", "--incomplete"]) == 0
    # What is newer than it may be being written.
    assert names(tmp_path) == ["step-2", "step-3", "step-4"]


def test_incomplete_ones_only_where_asked(tmp_path: Path) -> None:
    add(tmp_path, "step-1", "step-5")
    add(tmp_path, "step-2", whole=False)
    assert cleanup.main([str(tmp_path), "--keep=2", "--remove"]) == 0
    assert names(tmp_path) == ["step-1", "step-2", "step-5"]
    assert cleanup.main([str(tmp_path), "--keep=2", "--remove", "--incomplete"]) == 0
    assert names(tmp_path) == ["step-1", "step-5"]


def test_other_names_links_and_megatrons_file(tmp_path: Path) -> None:
    add(tmp_path, "iter_0000010", "iter_0000020", "iter_0000030", "iter_0000040", "logs")
    add(tmp_path, "iter_0000005.part")
    (tmp_path / "best").symlink_to("iter_0000020")
    (tmp_path / "latest-1").symlink_to("iter_0000040")
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("10\n")
    (tmp_path / "file-7").touch()
    assert cleanup.main([str(tmp_path), "--keep=1", "--remove", "--incomplete"]) == 0
    assert names(tmp_path) == [
        "best", "file-7", "iter_0000005.part", "iter_0000010", "iter_0000020", "iter_0000040",
        "latest-1", "latest_checkpointed_iteration.txt", "logs",
    ]  # fmt: skip


def test_links_inside_a_checkpoint_are_not_followed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    add(data, "precious")
    run = tmp_path / "run"
    add(run, "step-1", "step-2")
    (run / "step-1" / "data").symlink_to(data)
    assert cleanup.main([str(run), "--keep=1", "--remove"]) == 0
    assert names(run) == ["step-2"]
    assert names(data / "precious") == [".metadata", "shard-0"]


def test_a_folder_without_a_whole_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(tmp_path, "step-1", "step-2", marker="latest")
    assert cleanup.main([str(tmp_path), "--remove", "--incomplete"]) == 1
    assert (
        "has no whole checkpoint (with .metadata): nothing is removed" in capsys.readouterr().out
    )
    assert names(tmp_path) == ["step-1", "step-2"]
    assert cleanup.main([str(tmp_path), "--remove", "--marker=latest", "--keep=1"]) == 0
    assert names(tmp_path) == ["step-2"]
    assert cleanup.main([str(tmp_path / "missing")]) == 1


def test_a_removal_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(tmp_path, "step-1", "step-2", "step-3")

    def fails(path: Path) -> None:
        raise OSError(f"{path.name} is busy")

    with monkeypatch.context() as patch:
        patch.setattr(cleanup.shutil, "rmtree", fails)
        assert cleanup.main([str(tmp_path), "--keep=2", "--remove"]) == 1
    assert ".removing-step-1 is busy" in capsys.readouterr().out
    # It does not look like a checkpoint, and the next clean-up removes it.
    assert names(tmp_path) == [".removing-step-1", "step-2", "step-3"]
    assert cleanup.main([str(tmp_path), "--keep=2"]) == 0
    assert ".removing-step-1" in names(tmp_path)
    assert cleanup.main([str(tmp_path), "--keep=2", "--remove"]) == 0
    assert names(tmp_path) == ["step-2", "step-3"]
