"""An emulated machine: its hardware, and its commands run in this process."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clusterwright_rehearsal.nodes.hardware import hardware_of
from packages.rehearsal.tests.nodes.emulation import installed_aws

TOOLS = installed_aws.TOOLS
Tool = Callable[..., tuple[int, str]]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A p5.48xlarge: the folder of its faults, with `lasting` and `kernel.log` beside."""
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.delitem(sys.modules, "hardware", raising=False)
    import hardware  # type: ignore[import-not-found]

    described = tmp_path / "hardware.json"
    described.write_text(json.dumps(hardware_of("p5.48xlarge").as_file("i-0123456789abcdef0")))
    (tmp_path / "faults").mkdir()
    (tmp_path / "lasting").mkdir()
    monkeypatch.setattr(hardware, "HARDWARE", str(described))
    monkeypatch.setattr(hardware, "STATE", str(tmp_path))
    monkeypatch.setattr(hardware, "FAULTS", str(tmp_path / "faults"))
    monkeypatch.setattr(hardware, "LASTING_FAULTS", str(tmp_path / "lasting"))
    return tmp_path / "faults"


@pytest.fixture
def tool(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tool:
    def run(name: str, *words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", [name, *words])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(TOOLS / f"{name}.py"))
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Run a file under the name of one of its programs; return exit code, stdout and stderr."""

    def run(file: str, program: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", [program, *words])
        path = TOOLS / f"{file}.py"
        with pytest.raises(SystemExit) as ended:
            exec(compile(path.read_text(), path, "exec"), {"__name__": "emulated"})
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[installed_aws.Installed]:
    found = installed_aws.install(tmp_path_factory.mktemp("aws"))
    yield found
    found.server.kill()
    found.server.wait()
