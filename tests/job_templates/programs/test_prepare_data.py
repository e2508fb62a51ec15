"""Data of a trainer: filters, formats, restarts, sources."""

from __future__ import annotations

import gzip
import json
import os
import struct
import subprocess
import sys
from array import array
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.job_templates.node import command
from tests.job_templates.programs.loading import program

prepare = program("prepare_data")

GOOD = "one two three four"
_PREPROCESS = """
import argparse, array, json, struct
parser = argparse.ArgumentParser()
for name in ("--input", "--output-prefix", "--tokenizer-type", "--tokenizer-model", "--workers",
             "--json-keys"):
    parser.add_argument(name, required=True)
parser.add_argument("--append-eod", action="store_true", required=True)
options = parser.parse_args()
assert options.tokenizer_type == "HuggingFaceTokenizer"
lengths = []
prefix = f"{options.output_prefix}_{options.json_keys}_document"
with open(options.input, encoding="utf-8") as lines, open(f"{prefix}.bin", "wb") as data:
    for line in lines:
        words = json.loads(line)["text"].split()
        lengths.append(len(words) + 1)
        data.write(array.array("H", range(lengths[-1])).tobytes())
with open(f"{prefix}.idx", "wb") as index:
    index.write(b"MMIDIDX\\0\\0" + struct.pack("<QBQQ", 1, 8, len(lengths), len(lengths) + 1))
    index.write(array.array("i", lengths).tobytes())
"""
_AWS = """#!{python}
import pathlib, shutil, sys, json
bucket = pathlib.Path("@@/bucket")
words = sys.argv[1:]
if words[1] == "list-objects-v2":
    prefix = next(word for word in words if word.startswith("--prefix=")).partition("=")[2]
    files = [path for path in bucket.rglob("*") if path.is_file()]
    keys = [(path.relative_to(bucket).as_posix(), path.stat().st_size) for path in files]
    print(json.dumps([pair for pair in keys if pair[0].startswith(prefix)] or None))
else:
    assert words[:3] == ["s3", "cp", "--only-show-errors"]
    with open("@@/copied", "a") as log:
        log.write(words[3] + "\\n")
    shutil.copy(bucket / words[3][len("s3://acme/"):], words[4])
"""


class Words:
    """A substitute for `tokenizers`: a word is a token, its number the bytes that it has."""

    @staticmethod
    def from_file(_path: str) -> Words:
        return Words()

    def token_to_id(self, token: str) -> int | None:
        return {"<end>": 99}.get(token)

    def encode_batch(self, batch: list[str], *, add_special_tokens: bool) -> list[Any]:
        assert not add_special_tokens
        return [SimpleNamespace(ids=[len(word) for word in text.split()]) for text in batch]


class Arrow:
    """A substitute for `pyarrow`: a file of rows as JSON, a column of values."""

    class Writer:
        def __init__(self, path: Path, _schema: Any) -> None:
            self.path, self.rows = path, []  # type: ignore[var-annotated]

        def __enter__(self) -> Arrow.Writer:
            return self

        def __exit__(self, *_error: object) -> None:
            self.path.write_text(json.dumps(self.rows))

        def write_table(self, table: dict[str, list[str]]) -> None:
            self.rows += [{"text": text} for text in table["text"]]

    def __init__(self, path: Path) -> None:
        self.rows = json.loads(path.read_text())
        self.schema_arrow = SimpleNamespace(names=list(self.rows[0]))

    def iter_batches(self, batch_size: int, columns: list[str]) -> Any:
        for start in range(0, len(self.rows), batch_size):
            rows = self.rows[start : start + batch_size]
            values = [SimpleNamespace(as_py=lambda v=row[columns[0]]: v) for row in rows]
            yield SimpleNamespace(column=lambda _index, v=values: v)

    @staticmethod
    def functions() -> dict[str, Any]:
        return {
            "schema": dict,
            "string": lambda: "string",
            "table": lambda columns, schema: columns if schema else {},
        }


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source of three files, a tokeniser, Megatron-LM's program."""
    module = ModuleType("tokenizers")
    module.Tokenizer = Words  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokenizers", module)
    folder = tmp_path / "tokenizer"
    folder.mkdir()
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text('{"eos_token": {"content": "<end>"}}')
    command(tmp_path, "megatron/tools/preprocess_data.py", _PREPROCESS)
    source = tmp_path / "source/books"
    source.mkdir(parents=True)
    lines = [
        json.dumps({"text": GOOD}).encode(),
        json.dumps({"text": GOOD}).encode(),
        b'{"text": "broken \xff bytes of a line"}',
        b'{"text": "half a surrogate \\ud800"}',
        b'{"text": ',
        b'{"title": "no text"}',
        b"[1]",
        b"",
        b'{"text": "too short"}',
        json.dumps({"text": "long " * 20}).encode(),
    ]
    (source / "a.jsonl").write_bytes(b"\n".join(lines))
    other = json.dumps({"text": "five words that are new"})
    (source / "b.jsonl.gz").write_bytes(
        gzip.compress(f"{json.dumps({'text': GOOD})}\n{other}".encode())
    )
    (source / "c d.txt").write_text("a text of its own, année")
    (source / "readme.md").write_text("is not read")
    return tmp_path


def run(world: Path, phase: str = "both", form: str = "tokens", **changes: Any) -> int:
    given: dict[str, Any] = {
        "source": world / "source", "output": world / "out", "task": 0, "tasks": 1,
        "format": form, "tokenizer": world / "tokenizer", "megatron": world / "megatron",
        "min-words": 4, "max-words": 10,
    } | changes  # fmt: skip
    words = [f"--{name}={value}" for name, value in given.items()]
    code = 0
    for one in ("download", "prepare") if phase == "both" else (phase,):
        code = code or prepare.main([one, *words])
    return code


def summary(world: Path) -> Any:
    return json.loads((world / "out.work/summary.json").read_text())


def test_filters_and_tokens(world: Path) -> None:
    assert run(world) == 0
    found = summary(world)
    assert found["dropped"] == {
        "invalid_utf8": 2, "invalid_json": 1, "no_text": 2, "too_short": 1, "too_long": 1,
        "duplicate": 2,
    }  # fmt: skip
    assert (found["documents"], found["tokens"], found["output_bytes"]) == (3, 18, 72)
    assert found["text_bytes"] == len(GOOD) + 23 + 25
    assert found["complete"]
    words = array("I")
    for path in sorted((world / "out").iterdir()):
        words.frombytes(path.read_bytes())
    assert words[:5].tolist() == [3, 3, 5, 4, 99]
    assert words.tolist().count(99) == 3


def test_a_finished_file_is_not_read_again(world: Path) -> None:
    assert run(world) == 0
    first = {path.name: path.stat().st_mtime_ns for path in (world / "out").iterdir()}
    lost = next((world / "out.work/shards").glob("books-b*"))
    lost.unlink()
    assert run(world) == 0
    again = {path.name: path.stat().st_mtime_ns for path in (world / "out").iterdir()}
    assert {name for name in first if first[name] != again[name]} == {f"{lost.stem}.bin"}
    # The duplicate of the first file is still known.
    assert summary(world)["dropped"]["duplicate"] == 2
    assert summary(world)["tokens"] == 18


def test_an_interruption_leaves_whole_files_only(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = prepare.sync, []

    def fail(path: Path) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(path)

    monkeypatch.setattr(prepare, "sync", fail)
    assert run(world) == 1
    assert len(list((world / "out").iterdir())) == 1
    assert (summary(world)["shards"], summary(world)["complete"]) == (1, False)
    task = json.loads((world / "out.work/task-0.json").read_text())
    assert "No space left on device" in task["reason"]
    monkeypatch.setattr(prepare, "sync", real)
    assert run(world) == 0
    assert summary(world)["tokens"] == 18
    assert list((world / "out.work/parts").iterdir()) == []


def test_the_tasks_share_the_files(world: Path) -> None:
    for number in range(20):
        text = f"the text with the number {number}"
        (world / f"source/{number}.jsonl").write_text(json.dumps({"text": text}))
    assert run(world, task=0, tasks=2) == 0
    assert not summary(world)["complete"]
    assert run(world, task=1, tasks=2) == 0
    found = summary(world)
    assert (found["shards"], found["complete_tasks"]) == (23, [0, 1])
    assert found["documents"] in (23, 24)  # the duplicate may be in the other share


def test_megatron(world: Path) -> None:
    assert run(world, form="megatron") == 0
    assert (summary(world)["tokens"], summary(world)["documents"]) == (18, 3)
    names = sorted(path.suffix for path in (world / "out").iterdir())
    assert names == [".bin"] * 3 + [".idx"] * 3


def test_an_index_that_does_not_fit_its_data(world: Path) -> None:
    index = world / "x.idx"
    index.write_bytes(
        b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 4, 2, 3) + array("i", [3, 4]).tobytes()
    )
    assert prepare.index_tokens(index, 28) == 7
    with pytest.raises(prepare.StopError, match="does not describe its data"):
        prepare.index_tokens(index, 24)
    index.write_bytes(b"something else")
    with pytest.raises(prepare.StopError, match="is no index of Megatron-LM"):
        prepare.index_tokens(index, 28)


def test_json_lines(world: Path) -> None:
    assert run(world, form="jsonl") == 0
    lines = [
        json.loads(line)["text"]
        for path in sorted((world / "out").iterdir())
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert sorted(lines) == sorted([GOOD, "five words that are new", "a text of its own, année"])
    assert summary(world)["tokens"] == 15


def test_parquet(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, parquet = ModuleType("pyarrow"), ModuleType("pyarrow.parquet")
    vars(package).update(Arrow.functions(), parquet=parquet)
    vars(parquet).update(ParquetFile=Arrow, ParquetWriter=Arrow.Writer)
    monkeypatch.setitem(sys.modules, "pyarrow", package)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    assert run(world, form="parquet") == 0
    assert sorted(path.suffix for path in (world / "out").iterdir()) == [".parquet"] * 3
    assert summary(world)["tokens"] == 15
    path = world / "out/broken.parquet"
    path.write_text(json.dumps([{"text": "\udcff in a column"}, {"text": None}]))
    assert run(world, form="jsonl", source=world / "out", output=world / "again") == 0
    again = json.loads((world / "again.work/summary.json").read_text())
    assert (again["documents"], again["dropped"]["invalid_utf8"]) == (3, 1)
    assert again["dropped"]["no_text"] == 1
    path.write_text(json.dumps([{"body": "no such column"}]))
    other = {"source": world / "out", "output": world / "other"}
    assert run(world, form="jsonl", **other) == 92


def test_s3(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(world, "bin/aws", _AWS.replace("{python}", sys.executable))
    monkeypatch.setenv("PATH", f"{world}/bin:{os.environ['PATH']}")
    (world / "bucket").mkdir()
    (world / "source").rename(world / "bucket/raw")
    assert run(world, source="s3://acme/raw") == 0
    assert summary(world)["tokens"] == 18
    copied = (world / "copied").read_text().splitlines()
    assert sorted(copied)[0] == "s3://acme/raw/books/a.jsonl"
    # What is finished is neither kept nor brought again.
    assert not [path for path in (world / "out.work/raw").rglob("*") if path.is_file()]
    assert run(world, source="s3://acme/raw") == 0
    assert (world / "copied").read_text().splitlines() == copied
    assert run(world, source="s3://acme/other") == 92


def test_other_settings_and_changed_sources_are_refused(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(world) == 0
    assert run(world, **{"min-words": 2}) == 92
    assert "has data of other settings" in capsys.readouterr().out
    (world / "source/books/a.jsonl").write_text("{}")
    assert run(world) == 92
    assert "books/a.jsonl has changed since it was prepared" in capsys.readouterr().out


def test_wrong_environment(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert run(world) == 92
    assert run(world, source=world / "nowhere") == 92
    assert run(world, source=world / "tokenizer") == 92


def test_a_file_that_ends_too_early(world: Path) -> None:
    path = world / "source/books/b.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-12])
    assert run(world) == 1
    assert run(world, phase="prepare") == 1


def test_the_program_starts_on_a_node(world: Path) -> None:
    path = Path(str(prepare.__file__))
    done = subprocess.run(
        [sys.executable, str(path), "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
