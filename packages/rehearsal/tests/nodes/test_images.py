"""What an image is made of, and where its packages come from."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import images

_DEB822 = "Types: deb\nURIs: http://mirror.test/debian\nSuites: bookworm\nComponents: main\n"


def _apt(folder: Path, text: str, name: str = "sources.list.d/debian.sources") -> Path:
    path = folder / "apt" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return folder / "apt"


def test_mirror_is_read_from_the_settings_of_apt(tmp_path: Path) -> None:
    lines = images.sources_list("forky", {}, _apt(tmp_path, _DEB822))
    assert [line.split("] ")[1] for line in lines] == ["http://mirror.test/debian forky main"]


def test_one_line_format_of_apt_is_supported(tmp_path: Path) -> None:
    text = (
        "# deb http://no.test/debian x main\ndeb [a=b] http://mirror.test/debian/ bookworm main\n"
    )
    (line, security) = images.sources_list("trixie", {}, _apt(tmp_path, text, "sources.list"))
    assert "http://mirror.test/debian trixie main" in line
    assert "http://mirror.test/debian-security trixie-security main" in security


def test_environment_variable_takes_precedence(tmp_path: Path) -> None:
    variables = {images.MIRROR_VARIABLE: "http://other.test/debian/"}
    (line, _) = images.sources_list("trixie", variables, _apt(tmp_path, _DEB822))
    assert "http://other.test/debian trixie main" in line


def test_missing_debian_mirror_has_a_hint(tmp_path: Path) -> None:
    apt = _apt(tmp_path, _DEB822.replace("/debian", "/ubuntu"))
    with pytest.raises(RehearsalError) as error:
        images.sources_list("trixie", {}, apt)
    assert images.MIRROR_VARIABLE in str(error.value.hint)


def test_a_suite_without_a_recipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RehearsalError, match="buzz"):
        images.image(tmp_path, "buzz")


def test_digest_depends_on_contents_modes_and_suite_only(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe"
    shutil.copytree(images.RECIPE, recipe)
    first = images.recipe_digest("trixie", recipe)
    assert images.recipe_digest("trixie", images.RECIPE) == first
    assert images.recipe_digest("forky", recipe) != first
    (recipe / "__pycache__").mkdir()
    (recipe / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert images.recipe_digest("trixie", recipe) == first
    (recipe / "packages.txt").chmod(0o755)
    second = images.recipe_digest("trixie", recipe)
    assert second != first
    with (recipe / "packages.txt").open("a") as file:
        file.write("tcpdump\n")
    assert images.recipe_digest("trixie", recipe) not in (first, second)


def test_complete_image_is_read_from_the_cache(tmp_path: Path) -> None:
    root = tmp_path / "images" / f"trixie-{images.recipe_digest('trixie')[:16]}"
    root.mkdir(parents=True)
    (root / ".complete").write_text("")
    found = images.image(tmp_path, "trixie")
    assert (found.root, found.built_s) == (root, None)


def test_images_with_a_newer_slurm_are_those_of_later_suites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "images" / f"forky-{images.recipe_digest('forky')[:16]}"
    root.mkdir(parents=True)
    (root / ".complete").write_text("")
    monkeypatch.setattr(images, "slurm_of", lambda _: "slurm-wlm 26.05.5")
    assert images.with_newer_slurm(tmp_path, "trixie") == {"26.05": root}
    assert images.with_newer_slurm(tmp_path, "forky") == {}
    monkeypatch.setattr(images, "slurm_of", lambda _: "slurm-wlm 26.11.0")
    with pytest.raises(RehearsalError, match=r"forky has slurm-wlm 26\.11\.0, not Slurm 26\.05"):
        images.with_newer_slurm(tmp_path, "trixie")


def test_an_image_without_slurm_has_no_version(tmp_path: Path) -> None:
    assert images.slurm_of(tmp_path) is None


def test_incomplete_image_is_not_used(tmp_path: Path, monkeypatch: object) -> None:
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    root = tmp_path / "images" / f"trixie-{images.recipe_digest('trixie')[:16]}"
    root.mkdir(parents=True)
    monkeypatch.setattr(images.shutil, "which", lambda _: None)
    with pytest.raises(RehearsalError, match="mmdebstrap"):
        images.image(tmp_path, "trixie")


def test_recipe_is_independent_of_the_mirror() -> None:
    for path in images.RECIPE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert "://" not in path.read_text(), path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_mounts_below_a_folder_are_not_removed(tmp_path: Path) -> None:
    """As a build that is killed may leave them: /dev and /proc of this machine."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("precious")
    building = tmp_path / ".building-a b"
    inside = building / "root" / "dev"
    inside.mkdir(parents=True)
    subprocess.run(["mount", "--bind", str(outside), str(inside)], check=True)
    deeper = inside / "pts"
    deeper.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(deeper)], check=True)
    images.remove_tree(building)
    assert not building.exists()
    assert (outside / "file").read_text() == "precious"
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()


def test_busy_mount_is_kept_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    mounts = tmp_path / "mounts"
    mounts.write_text(f"proc {folder}/proc proc rw 0 0\n")
    with pytest.raises(RehearsalError, match=r"was not removed because .* is still mounted"):
        images.remove_tree(folder, mounts)
    assert folder.exists()
    mounts.write_text(f"proc {folder}-of-somebody proc rw 0 0\n")
    images.remove_tree(folder, mounts)
    assert not folder.exists()


def test_mounts_of_mmdebstrap_are_private() -> None:
    command = images._mmdebstrap("trixie", Path("/r"), Path("/s"))
    assert command[:5] == ["unshare", "--mount", "--propagation=private", "--", "mmdebstrap"]
