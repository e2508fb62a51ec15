"""Tracebacks in logs: whose lines belong together, and which line ends one."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.tracebacks import Frame, Tracebacks, frames_of

FRAMES = (
    "Traceback (most recent call last):",
    '  File "/opt/train/train.py", line 9, in main',
    "    load(path)",
    '  File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 1, in load',
    "    raise ValueError()",
)


def _read(*lines: str) -> list[dict[str, str]]:
    tracebacks = Tracebacks()
    return [dict(found) for line in lines if (found := tracebacks.read(line))]


def test_exception_has_its_frames_the_innermost_last() -> None:
    (found,) = _read(*FRAMES, "torch.cuda.OutOfMemoryError: no room", "ValueError: later")
    assert found["exception"] == "torch.cuda.OutOfMemoryError"
    assert found["message"] == "no room"
    assert [frame.function for frame in frames_of(found)] == ["main", "load"]
    assert [frame.package for frame in frames_of(found)] == ["", "torch"]
    assert found["code"] == "raise ValueError()"


def test_lines_of_ranks_are_kept_apart() -> None:
    lines = [f"[rank{rank}]: {line}" for line in FRAMES for rank in (0, 1)]
    found = _read(*lines, "[rank1]: KeyError: 'a'", "[rank0]: RuntimeError: b")
    assert [(f["exception"], f["message"]) for f in found] == [
        ("KeyError", "'a'"),
        ("RuntimeError", "b"),
    ]


def test_traceback_without_its_first_line_is_read() -> None:
    (found,) = _read(FRAMES[1], "    load(path)", "etcd.EtcdKeyNotFound: Key not found : /store")
    assert found["exception"] == "etcd.EtcdKeyNotFound"


def test_normal_lines_end_no_traceback() -> None:
    assert _read("ValueError: of no traceback") == []
    assert _read(*FRAMES, "INFO: step 5", "epoch: 1") == []


def test_exception_that_python_ignores_is_none() -> None:
    (found,) = _read(
        "Exception ignored in: <function D.__del__ at 0x7>", *FRAMES, "OSError: [Errno 9]"
    )
    assert found == {"ignored": "yes"}


def test_name_of_a_frame_has_no_path_of_the_environment() -> None:
    assert Frame("/opt/venv/lib/python3.11/site-packages/torch/a.py", "f").name == "torch/a.py"
    assert Frame("/usr/lib/python3.11/json/decoder.py", "f").is_standard
    assert Frame("/opt/train/a.py", "f").name == "train/a.py"


def test_code_that_raises_is_told_from_other_code() -> None:
    tracebacks = Tracebacks()
    seen = []
    for line in (*FRAMES[1:3], *FRAMES[3:]):
        tracebacks.read(f"[r1]:{line}")
        seen.append(tracebacks.raises)
    assert seen == [False, False, False, True]


def test_traceback_in_one_line_has_its_frames_and_its_last_exception() -> None:
    told = Tracebacks().read(
        'AlgorithmError: Traceback (most recent call last): File "/opt/a/run.py", line 3, in main '
        'raise KeyError(x) File "/opt/a/load.py", line 9, in read raise ValueError(y) ValueError: '
        "no  data"
    )
    assert told["exception"] == "ValueError"
    assert told["message"] == "no data"
    assert [frame.function for frame in frames_of(told)] == ["main", "read"]


BOX = (
    "╭───────────────── Traceback (most recent call last) ─────────────────╮",
    "│ /fsx/train.py:9 in main                                             │",
    "│                                                                     │",
    "│ ❱   9 │   raise RuntimeError(size)                                  │",
    "│ /opt/venv/lib/python3.11/site-packages/torch/distributed/llm-       │",
    "│ foundry/_optim_utils.py:461                                         │",
    "│  in _flatten                                                        │",
    '│ ❱ 461 │   state = unflat["state"]                                   │',
    "╰─────────────────────────────────────────────────────────────────────╯",
)


@pytest.mark.parametrize("prefix", ["", "[rank3]: "])
def test_frames_in_a_box_of_rich_are_read(prefix: str) -> None:
    (found,) = _read(*(prefix + line for line in BOX), f"{prefix}KeyError: 'state'")
    assert (found["exception"], found["message"]) == ("KeyError", "'state'")
    assert [(frame.name, frame.function) for frame in frames_of(found)] == [
        ("fsx/train.py", "main"),
        ("torch/distributed/llm-foundry/_optim_utils.py", "_flatten"),
    ]


def test_code_in_a_box_that_raises_is_no_error() -> None:
    tracebacks = Tracebacks()
    raises = []
    for line in BOX:
        tracebacks.read(line)
        raises.append(tracebacks.raises)
    assert raises == [False, False, False, True, False, False, False, False, False]


def test_table_with_lines_has_no_frames() -> None:
    assert _read("│ name │ value │", "│ /fsx/a │ 3 │", "ValueError: of no traceback") == []
