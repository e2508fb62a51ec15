"""The fine-tuning program without TRL: checkpoints, data and the signal, with substitutes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.job_templates.programs.loading import program


class Flag:
    """As a tensor of one element, which the substitute of all_reduce adds to."""

    def __init__(self, values: list[float], device: str) -> None:
        self.value, self.device = values[0], device

    def item(self) -> float:
        return self.value


class Group(SimpleNamespace):
    """As torch.distributed, where other processes have `others` signals."""

    others = 0.0
    barriers = 0

    def is_initialized(self) -> bool:
        return True

    def all_reduce(self, flag: Flag) -> None:
        flag.value += self.others

    def barrier(self) -> None:
        self.barriers += 1


@pytest.fixture
def group() -> Group:
    return Group()


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, group: Group) -> Iterator[ModuleType]:
    before = signal.getsignal(signal.SIGUSR1)
    trl = SimpleNamespace(SFTTrainer=None, get_peft_config=None, get_quantization_config=None)
    for name, substitute in {
        "torch": SimpleNamespace(tensor=Flag, distributed=group),
        "torch.distributed": group,
        "datasets": SimpleNamespace(load_dataset=None),
        "transformers": SimpleNamespace(TrainerCallback=object),
        "trl": trl,
        "trl.scripts": SimpleNamespace(),
        "trl.scripts.sft": SimpleNamespace(make_parser=None),
    }.items():
        monkeypatch.setitem(sys.modules, name, substitute)
    yield program("trl_sft")
    signal.signal(signal.SIGUSR1, before)


def _checkpoint(folder: Path, step: int, *, whole: bool) -> Path:
    path = folder / f"checkpoint-{step}"
    path.mkdir()
    if whole:
        (path / "complete").touch()
    return path


def test_only_whole_checkpoints_are_resumed(module: ModuleType, tmp_path: Path) -> None:
    assert module.newest_checkpoint(tmp_path) is None
    _checkpoint(tmp_path, 9, whole=True)
    newest = _checkpoint(tmp_path, 100, whole=True)
    torn = _checkpoint(tmp_path, 200, whole=False)
    other = tmp_path / "checkpoint-best"
    other.mkdir()
    assert module.newest_checkpoint(tmp_path) == newest
    module.remove_torn(tmp_path)
    assert not torn.exists()
    assert other.exists()
    assert newest.exists()


def test_data(module: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        module.data_files(str(tmp_path))
    assert error.value.code == 92
    assert f"{tmp_path} has no *.jsonl" in capsys.readouterr().out
    (tmp_path / "a.parquet").touch()
    assert module.data_files(str(tmp_path)) == ("parquet", [str(tmp_path / "a.parquet")])
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).touch()
    both = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    assert module.data_files(str(tmp_path)) == ("json", both)
    assert module.data_files(both[1]) == ("json", [both[1]])


def _control() -> Any:
    return SimpleNamespace(should_save=False, should_training_stop=False)


@pytest.mark.parametrize("own", [True, False])
def test_a_signal_of_any_process_saves_and_ends(
    module: ModuleType, group: Group, own: bool
) -> None:
    saving = module.SaveOnSignal("cpu")
    assert not saving.on_step_end(None, None, _control()).should_save
    if own:
        signal.raise_signal(signal.SIGUSR1)
    else:
        group.others = 1.0
    control = saving.on_step_end(None, None, _control())
    assert (control.should_save, control.should_training_stop) == (True, True)
    assert saving.ended


def test_a_checkpoint_is_marked_when_all_have_written(
    module: ModuleType, group: Group, tmp_path: Path
) -> None:
    folder = _checkpoint(tmp_path, 5, whole=False)
    arguments = SimpleNamespace(output_dir=str(tmp_path))
    saving = module.SaveOnSignal("cpu")
    for first in (False, True):
        state = SimpleNamespace(is_world_process_zero=first, global_step=5)
        saving.on_save(arguments, state, _control())
        assert (folder / "complete").exists() == first
    assert group.barriers == 4
