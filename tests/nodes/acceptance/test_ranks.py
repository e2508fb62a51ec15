"""The all-reduce without MPI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from clusterwright_acceptance import nccl_output, ranks

TORCH = """
float32 = "f"
class Tensor(list):
    def __ne__(self, other): return Tensor(float(x != other) for x in self)
    def sum(self): return sum(self)
    def zero_(self): self[:] = [0.0] * len(self)
def ones(count, **_): return Tensor([1.0] * 4)
def tensor(values, **_): return Tensor(values)
class cuda:
    set_device = staticmethod(lambda _: None)
    synchronize = staticmethod(lambda: None)
"""
DISTRIBUTED = """
import os
WRONG = float(os.environ.get("FAKE_WRONG", "0"))
class ReduceOp:
    MAX = "max"
def init_process_group(_): pass
def destroy_process_group(): pass
def barrier(): pass
def all_reduce(data, op=None):
    if len(data) == 4:
        data[:] = [x * int(os.environ["WORLD_SIZE"]) + WRONG for x in data]
"""


@pytest.fixture
def torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PyTorch that adds up as WORLD_SIZE processes with ones would."""
    folder = tmp_path / "torch"
    folder.mkdir()
    (folder / "__init__.py").write_text(TORCH)
    (folder / "distributed.py").write_text(DISTRIBUTED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("CLUSTERWRIGHT_NODES", "2")
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "0")
    return tmp_path


def test_every_process_has_its_rank() -> None:
    found = ranks.environments(8, 2, 1)
    assert [one["RANK"] for one in found] == [str(rank) for rank in range(8, 16)]
    assert {one["WORLD_SIZE"] for one in found} == {"16"}
    assert [one["LOCAL_RANK"] for one in found][:2] == ["0", "1"]


@pytest.mark.parametrize(("wrong", "count"), [("0", 0), ("1", 4)])
def test_the_first_rank_prints_the_columns_of_nccl_tests(
    torch: Path, wrong: str, count: int
) -> None:
    path = f"{torch}:{Path(ranks.__file__).parents[1]}"
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright_acceptance.ranks", "128,256", "2"],
        env={**os.environ, "PYTHONPATH": path, "FAKE_WRONG": wrong},
        capture_output=True,
        text=True,
        check=True,
    )
    report = nccl_output.parse(done.stdout)
    assert [row.size_bytes for row in report.rows] == [128 * 2**20, 256 * 2**20]
    assert report.busbw(128 * 2**20) > 0
    # A wrong value counts in the row and in the summary, out of place and in place.
    assert (report.wrong > 0) == (count > 0)


def test_without_pytorch_the_program_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks.sys, "executable", "/bin/false")
    assert ranks.main(["128", "8"]) == 127
