"""The FSDP2 program without PyTorch: its reader, checkpoints and exit codes, with substitutes.

`python -m tools.training_trials` runs the whole program with PyTorch.
"""

from __future__ import annotations

import errno
import json
import pickle
import signal
import sys
from argparse import Namespace
from array import array
from importlib.resources import files
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from clusterwright.job_templates.templates.fsdp2 import program
from tests.job_templates.programs.loading import program as loaded

SEQ_LEN = 7


class CheckpointError(BaseException):
    """As PyTorch's CheckpointException, which is no Exception."""

    def __init__(self, failures: dict[int, Any]) -> None:
        super().__init__("failures")
        self.failures = failures


class Reader:
    """As FileSystemReader."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder) / ".metadata"

    def read_metadata(self) -> Any:
        places = pickle.loads(self.path.read_bytes())
        return SimpleNamespace(storage_data={n: SimpleNamespace(**p) for n, p in places.items()})


@pytest.fixture(scope="module")
def module() -> Any:
    """The program, imported with substitutes of PyTorch's modules."""
    torch: Any = ModuleType("torch")
    torch.no_grad = lambda: lambda function: function
    torch.nn = SimpleNamespace(Module=object, functional=None)
    torch.distributed = SimpleNamespace(
        get_rank=lambda: 0, get_world_size=lambda: 2, barrier=lambda: None
    )
    dcp: Any = ModuleType("torch.distributed.checkpoint")
    dcp.CheckpointException, dcp.FileSystemReader = CheckpointError, Reader
    torch.distributed.checkpoint = dcp
    state: Any = SimpleNamespace(
        get_state_dict=lambda model, optimizer: ({}, {}), set_state_dict=None
    )
    shard: Any = SimpleNamespace(MixedPrecisionPolicy=None, fully_shard=None)
    modules = {
        "torch": torch,
        "torch.nn": torch.nn,
        "torch.distributed": torch.distributed,
        "torch.distributed.checkpoint": dcp,
        "torch.distributed.checkpoint.state_dict": state,
        "torch.distributed.fsdp": shard,
        "torch.utils": SimpleNamespace(),
        "torch.utils.checkpoint": SimpleNamespace(checkpoint=None),
    }
    before = signal.getsignal(signal.SIGUSR1)
    found: Any = ModuleType("fsdp2_pretrain")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in modules.items():
            patch.setitem(sys.modules, name, value)
        exec(compile(program(), "fsdp2_pretrain.py", "exec"), found.__dict__)
    assert signal.getsignal(signal.SIGUSR1) is found.on_signal
    signal.signal(signal.SIGUSR1, before)
    return found


@pytest.fixture
def options(tmp_path: Path) -> Namespace:
    return Namespace(
        checkpoints=str(tmp_path / "checkpoints"), keep=2, seq_len=SEQ_LEN, seed=5,
        learning_rate=1e-3, warmup=10, steps=110,
    )  # fmt: skip


def tokens_of(module: Any, content: bytearray) -> list[int]:
    assert module.TOKEN_BYTES == array("i").itemsize == 4
    return array("i", bytes(content)).tolist()


def write_tokens(folder: Path, *files: list[int]) -> None:
    folder.mkdir()
    for number, tokens in enumerate(files):
        (folder / f"{number:05}.bin").write_bytes(array("i", tokens).tobytes())


def checkpoint(options: Namespace, name: str, *, size: int = 100, about: Any = None) -> Path:
    """A checkpoint with a file of which the metadata need 100 bytes."""
    folder = Path(options.checkpoints) / name
    folder.mkdir(parents=True)
    (folder / "__0_0.distcp").write_bytes(b"x" * size)
    places = [
        {"relative_path": "__0_0.distcp", "offset": 60, "length": 40},
        {"relative_path": "__0_0.distcp", "offset": 0, "length": 60},
    ]
    (folder / ".metadata").write_bytes(pickle.dumps(dict(enumerate(places))))
    if about is not None:
        (folder / "run.json").write_text(json.dumps(about))
    return folder


def names(options: Namespace) -> list[str]:
    return sorted(path.name for path in Path(options.checkpoints).iterdir())


def test_an_epoch_reads_every_sequence_once(module: Any, tmp_path: Path) -> None:
    first, second = list(range(8 * 5 + 3)), list(range(1000, 1000 + 8 * 6))
    write_tokens(tmp_path / "tokens", first, second, [1, 2])
    tokens = module.Tokens(tmp_path / "tokens", SEQ_LEN, 3)
    assert tokens.total == 11
    read = [tokens_of(module, tokens.content(index)) for index in range(11)]
    expected = [first[at : at + 8] for at in range(0, 40, 8)]
    expected += [second[at : at + 8] for at in range(0, 48, 8)]
    assert sorted(read) == expected
    assert read != expected
    assert tokens_of(module, tokens.content(11 + 4)) == read[4]


class Bytes:
    """A substitute for `tokenizers`: a byte is a token, and 0 the end of a document."""

    @staticmethod
    def from_file(_path: str) -> Bytes:
        return Bytes()

    def token_to_id(self, _token: str) -> int:
        return 0

    def encode_batch(self, batch: list[str], *, add_special_tokens: bool) -> list[Any]:
        assert not add_special_tokens
        return [SimpleNamespace(ids=list(text.encode())) for text in batch]


def test_the_data_of_prepare_data_are_the_text(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of the rehearsed training, prepared by the job's program, in every sequence."""
    package: Any = ModuleType("tokenizers")
    package.Tokenizer = Bytes
    monkeypatch.setitem(sys.modules, "tokenizers", package)
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<end>"}')
    (tmp_path / "source").mkdir()
    text = files("clusterwright_rehearsal").joinpath("training_text.txt").read_bytes()
    (tmp_path / "source/play.txt").write_bytes(text)
    prepare = loaded("prepare_data")
    words = [f"--source={tmp_path}/source", f"--output={tmp_path}/tokens", "--task=0", "--tasks=1"]
    words += ["--format=tokens", f"--tokenizer={tmp_path}"]
    for phase in ("download", "prepare"):
        assert prepare.main([phase, *words]) == 0
    reader = module.Tokens(tmp_path / "tokens", 64, 0)
    assert reader.total == (len(text) + 1) // 65
    rows = [array("i", bytes(reader.content(index))) for index in range(reader.total)]
    assert {bytes(row.tolist()) for row in rows} == {
        text[start : start + 65] for start in range(0, reader.total * 65, 65)
    }


def test_no_tokens_end_with_92(
    module: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tokens(tmp_path / "tokens", [1, 2])
    with pytest.raises(SystemExit) as ended:
        module.Tokens(tmp_path / "tokens", SEQ_LEN, 0)
    assert ended.value.code == 92
    assert capsys.readouterr().err == f"{tmp_path}/tokens has no *.bin file with 8 tokens\n"


def test_learning_rate(module: Any, options: Namespace) -> None:
    rates = [module.learning_rate(options, step) for step in (1, 10, 60, 110)]
    assert rates == pytest.approx([1e-4, 1e-3, 5.5e-4, 1e-4])


def test_the_newest_whole_checkpoint(module: Any, options: Namespace) -> None:
    assert module.newest(options) == -1
    for name in ("step-9", "step-100", "step-200.part", "step-7x"):
        checkpoint(options, name)
    (checkpoint(options, "step-300") / ".metadata").unlink()
    assert module.newest(options) == 100
    # What a killed process was writing or removing does not stay on the file system.
    assert names(options) == ["step-100", "step-300", "step-7x", "step-9"]


def test_a_checkpoint_of_step_0_is_one(module: Any, options: Namespace) -> None:
    checkpoint(options, "step-0")
    assert module.newest(options) == 0


@pytest.mark.parametrize("metadata", [None, b"", b"\x80\x04"])
def test_a_torn_checkpoint_is_put_aside(
    module: Any, options: Namespace, capsys: pytest.CaptureFixture[str], metadata: bytes | None
) -> None:
    checkpoint(options, "step-10")
    torn = checkpoint(options, "step-20", size=99)
    if metadata is not None:
        (torn / ".metadata").write_bytes(metadata)
    assert module.newest(options) == 10
    assert names(options) == ["step-10", "step-20.torn"]
    reason = (
        "__0_0.distcp has 99 bytes, not 100" if metadata is None else ".metadata cannot be read"
    )
    said = capsys.readouterr().out
    assert f"step-20 is torn, and is now step-20.torn: {reason}" in said


def test_nothing_begins_again_where_all_are_torn(
    module: Any, options: Namespace, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint(options, "step-10", size=0)
    (checkpoint(options, "step-20") / "__0_0.distcp").unlink()
    assert module.newest(options) is None
    assert names(options) == ["step-10", "step-20"]
    assert "step-20 is torn: __0_0.distcp has 0 bytes, not 100" in capsys.readouterr().out


def test_a_save_is_renamed_and_old_ones_go(
    module: Any, options: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(state: Any, checkpoint_id: str) -> None:
        part = Path(checkpoint_id)
        assert part.name == "step-30.part"
        assert json.loads((part / "run.json").read_text()) == {"samples": 7}
        (part / ".metadata").touch()

    monkeypatch.setattr(module.dcp, "save", save, raising=False)
    for name in ("step-10", "step-20"):
        checkpoint(options, name)
    module.saved(options, None, None, 30, {"samples": 7})
    assert names(options) == ["step-20", "step-30"]


@pytest.mark.parametrize("of_a_process", [True, False])
def test_a_full_disk_keeps_the_checkpoint_before(
    module: Any,
    options: Namespace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    of_a_process: bool,
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")

    def save(state: Any, checkpoint_id: str) -> None:
        raise CheckpointError({1: (full, None)}) if of_a_process else full

    monkeypatch.setattr(module.dcp, "save", save, raising=False)
    checkpoint(options, "step-10")
    usage = SimpleNamespace(free=3 << 20)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SystemExit) as ended:
        module.saved(options, None, None, 20, {})
    assert ended.value.code == 1
    assert names(options) == ["step-10"]
    assert capsys.readouterr().err == (
        "the checkpoint at step 20 could not be written with 3 MiB free: [Errno 28] No space left "
        f"on device; whole checkpoints in {options.checkpoints}: step-10\n"
    )


def test_samples_go_on_after_another_batch_size(
    module: Any, options: Namespace, capsys: pytest.CaptureFixture[str]
) -> None:
    then = {"samples": 80, "global_batch": 8, "seq_len": 7, "seed": 5, "sequences": 50}
    folder = checkpoint(options, "step-10", about=then)
    assert module.samples_before(folder, 10, then | {"samples": 0}) == 80
    assert capsys.readouterr().out == ""
    assert module.samples_before(folder, 10, then | {"global_batch": 16, "sequences": 60}) == 80
    said = capsys.readouterr().out
    assert "global_batch was 8 and is 16: the data go on after 80 samples" in said
    assert "sequences was 50 and is 60: samples come in another order now" in said


def test_a_checkpoint_of_another_program(
    module: Any, options: Namespace, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = checkpoint(options, "step-10")
    assert module.samples_before(folder, 10, {"global_batch": 16}) == 160
    assert "step-10 has no run.json" in capsys.readouterr().out
