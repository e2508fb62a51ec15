"""The folder of moto's own tests."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tools.setup import moto_tests, packages
from tools.setup.errors import SetupError
from tools.setup.index import UvIndex

PIN = "moto==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via\n"


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A checkout without downloads whose archive has tests; the commands that were run."""
    home = tmp_path / ".clusterwright" / "moto-tests"
    (tmp_path / "dev.txt").write_text(f"motor==2.0\n{PIN}mpmath==1.3\n")
    (tmp_path / "moto-tests.txt").write_text("freezegun==1\n")
    for name, value in {
        "ROOT": tmp_path,
        "HOME": home,
        "UNPACKED": home / "moto",
        "PACKAGES": home / "packages",
        "_STAMP": home / "built-from",
        "DEV_REQUIREMENTS": tmp_path / "dev.txt",
        "REQUIREMENTS": tmp_path / "moto-tests.txt",
        "read_committed": Path.read_bytes,
    }.items():
        monkeypatch.setattr(moto_tests, name, value)
    commands: list[list[str]] = []

    def run(command: list[object], **_: object) -> str:
        words = [str(word) for word in command]
        commands.append(words)
        if "download" in words:
            _archive(home, ["moto-1.0/tests/test_a.py", "moto-1.0/moto/models.py"])
        return ""

    monkeypatch.setattr(packages, "uv_index", lambda *_: UvIndex({}, ()))
    for module in (packages, moto_tests):
        monkeypatch.setattr(module, "run", run)
    return commands


def _archive(home: Path, names: list[str]) -> None:
    with tarfile.open(home / "moto-1.0.tar.gz", "w:gz") as packed:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 1
            packed.addfile(info, io.BytesIO(b"#"))


def test_only_the_tests_are_unpacked(ran: list[list[str]]) -> None:
    assert moto_tests.bring_up_to_date()
    files = [path.name for path in moto_tests.UNPACKED.rglob("*.py")]
    assert files == ["test_a.py"]
    assert not list(moto_tests.HOME.glob("*.tar.gz"))


def test_hashes_of_the_pinned_moto_are_required(ran: list[list[str]]) -> None:
    moto_tests.bring_up_to_date()
    assert all("--require-hashes" in words for words in ran)
    pinned = (moto_tests.HOME / "moto.txt").read_text()
    assert pinned == "moto==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"


def test_fetched_once_and_again_with_another_moto(
    ran: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert moto_tests.main() == 0
    assert "setup: moto's own tests " in capsys.readouterr().err
    assert moto_tests.main() == 0
    assert len(ran) == 2
    (tmp_path / "dev.txt").write_text(PIN.replace("1.0", "1.1"))
    assert moto_tests.bring_up_to_date()


def test_a_moto_without_hashes_is_refused(ran: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "dev.txt").write_text("moto==1.0\n")
    with pytest.raises(SetupError, match=r"dev\.txt does not pin moto with hashes"):
        moto_tests.bring_up_to_date()


def test_an_archive_without_tests_is_refused(
    ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = moto_tests.HOME

    def run(command: list[object], **_: object) -> str:
        if "download" in command:
            _archive(home, ["moto-1.0/moto/models.py"])
        return ""

    monkeypatch.setattr(moto_tests, "run", run)
    with pytest.raises(SetupError, match=r"moto-1\.0\.tar\.gz has no folder tests"):
        moto_tests.bring_up_to_date()
