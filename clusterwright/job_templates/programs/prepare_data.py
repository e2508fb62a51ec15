"""Filter and tokenise a share of the files of SOURCE: a task of `prepare-data.sbatch`.

A shard is a file of the source: *.jsonl, *.jsonl.gz, *.json.gz (one object a line), *.txt (one
document), *.parquet. A task takes its shards in the order of their names. For each it writes the
data, then a report beside OUTPUT, in OUTPUT.work/shards: a shard with a report is finished, and is
not read again. Files get their names when they are whole. OUTPUT.work/task-N.json has the sums of
a task, summary.json those of all.

Filters, in this order: invalid UTF-8 (RFC 3629), lines that are no object with a text, number of
words (Gopher, arXiv 2112.11446, keeps 50 to 100,000), exact duplicates within the share of the
task, by BLAKE2b of the text (why: arXiv 2107.06499).
Exit codes: 0 the share is finished; 1 it is not; 92 a program, library or setting is wrong.

Python 3.9; the package tokenizers, and for Parquet pyarrow.
"""

from __future__ import annotations

import argparse
import array
import fcntl
import gzip
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

READABLE = (".jsonl", ".jsonl.gz", ".json.gz", ".txt", ".parquet")
BATCH = 1000
DIGEST_BYTES = 16
INDEX_HEADER = b"MMIDIDX\x00\x00"
EXIT_ENVIRONMENT = 92
DROPPED = ("invalid_utf8", "invalid_json", "no_text", "too_short", "too_long", "duplicate")
COUNTS = ("source_bytes", "documents_read", "documents", "text_bytes", "tokens", "output_bytes")


class StopError(Exception):
    """The share cannot be finished; `code` is the exit code."""

    def __init__(self, reason, code=1):
        super().__init__(reason)
        self.code = code


def write(path, document):
    """Write JSON atomically."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    new.replace(path)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


# -- the source


def listed_s3(source):
    """Names below a prefix of S3, and their bytes."""
    bucket, _, prefix = source[len("s3://") :].partition("/")
    prefix = prefix.rstrip("/") + "/" if prefix.strip("/") else ""
    words = ["aws", "s3api", "list-objects-v2", f"--bucket={bucket}", f"--prefix={prefix}"]
    done = run([*words, "--query=Contents[].[Key,Size]", "--output=json"], subprocess.PIPE)
    return {key[len(prefix) :]: size for key, size in json.loads(done or "null") or []}


def listed_hub(options):
    """Files of a dataset of the hub HF_ENDPOINT, and their bytes."""
    from huggingface_hub import HfApi

    tree = HfApi().list_repo_tree(
        options.source[len("hf://") :],
        recursive=True,
        revision=options.revision,
        repo_type="dataset",
    )
    return {entry.path: entry.size for entry in tree if hasattr(entry, "size")}


def listed_folder(folder):
    root = Path(folder)
    if not root.is_dir():
        raise StopError(f"{folder} does not exist", EXIT_ENVIRONMENT)
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.stat().st_size for path in files}


def listed(options):
    """Bytes by name of the files of the source that can be read."""
    if options.source.startswith("s3://"):
        found = listed_s3(options.source)
    elif options.source.startswith("hf://"):
        found = listed_hub(options)
    else:
        found = listed_folder(options.source)
    readable = {name: size for name, size in found.items() if name.endswith(READABLE)}
    if not readable:
        raise StopError(
            f"{options.source} has no file {', '.join('*' + end for end in READABLE)}",
            EXIT_ENVIRONMENT,
        )
    for name in readable:
        if name.startswith("/") or ".." in name.split("/"):
            raise StopError(f"the name {name!r} leaves the folder", EXIT_ENVIRONMENT)
    return readable


def run(words, stdout=None):
    """Run a program; its errors go to the log. Returns its output."""
    done = subprocess.run(words, stdout=stdout, check=False)
    if done.returncode:
        raise StopError(f"{' '.join(map(str, words[:3]))} ended with {done.returncode}")
    return done.stdout


def download(options, work):
    """Bring the unfinished shards of the share to `raw`; a folder is read in place."""
    share = {
        name: size
        for name, size in listed(options).items()
        if zlib.crc32(name.encode("utf-8")) % options.tasks == options.task
    }
    for name, size in sorted(share.items()):
        path = raw(options, work, name)
        if (work / "shards" / f"{shard_name(name)}.json").exists():
            continue
        if not options.source.startswith(("s3://", "hf://")) or has(path, size):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        fetch(options, name, path)
        if not has(path, size):
            raise StopError(f"{name} does not have the {size} bytes that the source lists")
        print(f"{name}: {size} bytes", flush=True)
    write(work / f"sources-{options.task}.json", share)


def fetch(options, name, path):
    if options.source.startswith("s3://"):
        new = path.with_name(f"{path.name}.new")
        address = f"{options.source.rstrip('/')}/{name}"
        run(["aws", "s3", "cp", "--only-show-errors", address, str(new)])
        new.replace(path)
        return
    from huggingface_hub import hf_hub_download

    hf_hub_download(
        options.source[len("hf://") :],
        name,
        repo_type="dataset",
        revision=options.revision,
        local_dir=path.parents[name.count("/")],
    )


def has(path, size):
    return path.is_file() and path.stat().st_size == size


def raw(options, work, name):
    """The path of a shard's file."""
    if options.source.startswith(("s3://", "hf://")):
        return work / "raw" / name
    return Path(options.source) / name


def shard_name(name):
    """A name for the files of a shard: it is unique, and has no folder."""
    end = next(end for end in sorted(READABLE, key=len, reverse=True) if name.endswith(end))
    stem = re.sub(r"[^A-Za-z0-9._]+", "-", name[: -len(end)]).strip("-")
    return f"{stem[-100:]}-{zlib.crc32(name.encode('utf-8')):08x}"


# -- documents


def texts(path, key, dropped):
    """The texts of a file; what is no text is counted."""
    if path.name.endswith(".txt"):
        yield from decoded(path.read_bytes(), dropped)
        return
    if path.name.endswith(".parquet"):
        yield from parquet_texts(path, key, dropped)
        return
    with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as stream:
        for line in stream:
            if not line.strip():
                continue
            for text in decoded(line, dropped):
                try:
                    found = json.loads(text)
                except ValueError:
                    dropped["invalid_json"] += 1
                    continue
                value = found.get(key) if isinstance(found, dict) else None
                yield from checked(value, dropped)


def decoded(content, dropped):
    try:
        yield content.decode("utf-8")
    except UnicodeDecodeError:
        dropped["invalid_utf8"] += 1


def checked(value, dropped):
    """A value, if it is a text that UTF-8 can have: JSON's escapes can be lone surrogates."""
    if not isinstance(value, str):
        dropped["no_text"] += 1
        return
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        dropped["invalid_utf8"] += 1
        return
    yield value


def parquet_texts(path, key, dropped):
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    if key not in file.schema_arrow.names:
        raise StopError(f"{path} has no column {key}", EXIT_ENVIRONMENT)
    for batch in file.iter_batches(batch_size=BATCH, columns=[key]):
        for value in batch.column(0):
            try:
                text = value.as_py()
            except UnicodeDecodeError:
                dropped["invalid_utf8"] += 1
                continue
            yield from checked(text, dropped)


def kept(path, options, seen, counts, dropped):
    """The texts of a file that pass the filters."""
    for text in texts(path, options.text_key, dropped):
        counts["documents_read"] += 1
        words = len(text.split())
        if words < options.min_words:
            dropped["too_short"] += 1
            continue
        if words > options.max_words:
            dropped["too_long"] += 1
            continue
        content = text.encode("utf-8")
        digest = hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()
        if digest in seen:
            dropped["duplicate"] += 1
            continue
        seen[digest] = None
        counts["documents"] += 1
        counts["text_bytes"] += len(content)
        yield text


# -- tokens and files


class Tokenizer:
    """A tokeniser of Hugging Face: `tokenizer.json` of a folder, and its end of a document."""

    def __init__(self, folder):
        from tokenizers import Tokenizer as Loaded

        path = Path(folder)
        if not (path / "tokenizer.json").is_file():
            raise StopError(f"{folder} has no tokenizer.json", EXIT_ENVIRONMENT)
        self.loaded = Loaded.from_file(str(path / "tokenizer.json"))
        config = path / "tokenizer_config.json"
        end = read(config).get("eos_token") if config.is_file() else None
        end = end.get("content") if isinstance(end, dict) else end
        self.end = self.loaded.token_to_id(end) if end else None

    def encode(self, batch):
        encodings = self.loaded.encode_batch(batch, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


def batches(found):
    batch = []
    for text in found:
        batch.append(text)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def write_tokens(path, found, tokenizer, counts):
    """Tokens of 32 bits, little-endian, each document with its end."""
    if tokenizer.end is None:
        raise StopError("the tokeniser's configuration has no eos_token", EXIT_ENVIRONMENT)
    with path.open("wb") as stream:
        for batch in batches(found):
            for ids in tokenizer.encode(batch):
                values = array.array("I", [*ids, tokenizer.end])
                if sys.byteorder == "big":
                    values.byteswap()
                stream.write(values.tobytes())
                counts["tokens"] += len(values)


def write_lines(path, found, tokenizer, counts):
    """JSON lines `{"text": ...}`; Megatron-LM's program counts the tokens of its own."""
    with path.open("w", encoding="utf-8") as stream:
        for batch in batches(found):
            if tokenizer is not None:
                counts["tokens"] += sum(len(ids) for ids in tokenizer.encode(batch))
            for text in batch:
                stream.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")


def write_parquet(path, found, tokenizer, counts):
    """Parquet with the column `text`."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("text", pyarrow.string())])
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in batches(found):
            counts["tokens"] += sum(len(ids) for ids in tokenizer.encode(batch))
            writer.write_table(pyarrow.table({"text": batch}, schema=schema))


def megatron(options, lines, prefix, counts):
    """Tokenise with Megatron-LM's program. Returns its files: the index is the last one."""
    run([
        sys.executable, f"{options.megatron}/tools/preprocess_data.py",
        f"--input={lines}", f"--output-prefix={prefix}", "--json-keys", "text", "--append-eod",
        "--tokenizer-type=HuggingFaceTokenizer", f"--tokenizer-model={options.tokenizer}",
        f"--workers={options.workers}",
    ])  # fmt: skip
    data, index = (Path(f"{prefix}_text_document.{end}") for end in ("bin", "idx"))
    counts["tokens"] += index_tokens(index, data.stat().st_size)
    return [data, index]


def index_tokens(path, data_bytes):
    """Tokens of a Megatron-LM index (megatron/core/datasets/indexed_dataset.py).

    The header, version 1, the type's code, the numbers of sequences and of documents, and the
    lengths of the sequences. They have to be those of the data.
    """
    with path.open("rb") as stream:
        if stream.read(len(INDEX_HEADER)) != INDEX_HEADER:
            raise StopError(f"{path} is no index of Megatron-LM")
        version, code, sequences, _documents = struct.unpack("<QBQQ", stream.read(25))
        lengths = array.array("i")
        lengths.frombytes(stream.read(4 * sequences))
    width = {4: 4, 8: 2}.get(code)
    if version != 1 or width is None or sum(lengths) * width != data_bytes:
        raise StopError(f"{path} does not describe its data")
    return sum(lengths)


def prepare(options, name, size, seen, tokenizer, work):
    """Filter and tokenise a shard. Returns its report."""
    path, stem = raw(options, work, name), shard_name(name)
    counts, dropped = dict.fromkeys(COUNTS, 0), dict.fromkeys(DROPPED, 0)
    parts = work / "parts" / stem
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    before = len(seen)
    found = kept(path, options, seen, counts, dropped)
    if options.format == "tokens":
        files = [parts / f"{stem}.bin"]
        write_tokens(files[0], found, tokenizer, counts)
    elif options.format == "parquet":
        files = [parts / f"{stem}.parquet"]
        write_parquet(files[0], found, tokenizer, counts)
    else:
        files = [parts / f"{stem}.jsonl"]
        write_lines(files[0], found, tokenizer, counts)
    if options.format == "megatron" and counts["documents"]:
        files = megatron(options, files[0], parts / stem, counts)
    if not counts["documents"]:
        files = []
    counts["source_bytes"] = size
    counts["output_bytes"] = sum(file.stat().st_size for file in files)
    for file in files:
        sync(file)
        file.replace(Path(options.output) / file.name)
    digests = work / "digests" / stem
    digests.with_name(f"{stem}.new").write_bytes(b"".join(list(seen)[before:]))
    digests.with_name(f"{stem}.new").replace(digests)
    document = {
        "schema_version": 1,
        "source": name,
        "settings": settings(options),
        **counts,
        "dropped": dropped,
        "files": [file.name for file in files],
    }
    write(work / "shards" / f"{stem}.json", document)
    shutil.rmtree(parts)
    if options.source.startswith(("s3://", "hf://")):
        path.unlink()
    return document


def sync(path):
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def settings(options):
    """What decides the content of the output."""
    names = ("source", "revision", "tasks", "format", "tokenizer", "text_key", "min_words")
    return {name: getattr(options, name) for name in (*names, "max_words")}


def finished(options, work, name, size):
    """The report of a finished shard, or None. Raises StopError if it is of something else."""
    path = work / "shards" / f"{shard_name(name)}.json"
    if not path.exists():
        return None
    report = read(path)
    if report["settings"] != settings(options):
        raise StopError(f"{options.output} has data of other settings", EXIT_ENVIRONMENT)
    if report["source_bytes"] != size:
        raise StopError(f"{name} has changed since it was prepared", EXIT_ENVIRONMENT)
    return report


def share(options, work, reports):
    """Prepare the shards of the share, in the order of their names."""
    sources = read(work / f"sources-{options.task}.json")
    tokenizer = None if options.format == "megatron" else Tokenizer(options.tokenizer)
    seen = {}
    for number, (name, size) in enumerate(sorted(sources.items()), 1):
        report = finished(options, work, name, size)
        if report is None:
            report = prepare(options, name, size, seen, tokenizer, work)
        else:
            content = (work / "digests" / shard_name(name)).read_bytes()
            for start in range(0, len(content), DIGEST_BYTES):
                seen[content[start : start + DIGEST_BYTES]] = None
        reports.append(report)
        print(f"{number} of {len(sources)}: {name}, {report['documents']} documents", flush=True)


def summed(documents):
    """The sums of reports."""
    total = {name: sum(document[name] for document in documents) for name in COUNTS}
    dropped = {name: sum(document["dropped"][name] for document in documents) for name in DROPPED}
    return {**total, "dropped": dropped}


def report_task(options, work, reports, reason):
    """Write the report of the task, and the sums of all that there are."""
    write(
        work / f"task-{options.task}.json",
        {
            "schema_version": 1,
            "task": options.task,
            "tasks": options.tasks,
            "shards": len(reports),
            **summed(reports),
            "complete": reason is None,
            "reason": reason,
        },
    )
    with (work / "summary.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        paths = [work / f"task-{task}.json" for task in range(options.tasks)]
        tasks = [read(path) for path in paths if path.exists()]
        complete = [task["task"] for task in tasks if task["complete"]]
        document = {
            "schema_version": 1,
            "settings": settings(options),
            "shards": sum(task["shards"] for task in tasks),
            **summed(tasks),
            "complete_tasks": complete,
            "complete": len(complete) == options.tasks,
        }
        write(work / "summary.json", document)
    return document


def options_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("phase", choices=("download", "prepare"))
    parser.add_argument("--source", required=True)
    parser.add_argument("--revision")
    parser.add_argument("--output", required=True)
    parser.add_argument("--task", type=int, required=True)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--format", choices=("megatron", "tokens", "jsonl", "parquet"), required=True
    )
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--megatron")
    parser.add_argument("--text-key", default="text")
    parser.add_argument("--min-words", type=int, default=50)
    parser.add_argument("--max-words", type=int, default=100_000)
    return parser.parse_args(argv)


def main(argv=None):
    options = options_of(argv)
    work = Path(f"{options.output}.work")
    for folder in (Path(options.output), work / "shards", work / "digests", work / "parts"):
        folder.mkdir(parents=True, exist_ok=True)
    code, reason, reports = 0, None, []
    try:
        if options.phase == "download":
            download(options, work)
        else:
            share(options, work, reports)
    except StopError as error:
        code, reason = error.code, str(error)
    except ImportError as error:
        code, reason = EXIT_ENVIRONMENT, f"{error}: install it in the environment or the image"
    except (OSError, EOFError, zlib.error) as error:
        code, reason = 1, str(error) or type(error).__name__
    if options.phase == "prepare" or reason is not None:
        document = report_task(options, work, reports, reason)
        print(json.dumps(document, indent=2))
    if reason is not None:
        print(reason, flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
