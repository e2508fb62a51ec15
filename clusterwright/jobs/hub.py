"""Models and data sets of the Hugging Face Hub that a job's programs load."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clusterwright.jobs.job import Job
from clusterwright.jobs.shell import Word

_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_FOLDERS: Final = frozenset(
    [
        "artifacts",
        "assets",
        "cache",
        "checkpoint",
        "checkpoints",
        "ckpt",
        "ckpts",
        "config",
        "configs",
        "data",
        "dataset",
        "datasets",
        "examples",
        "exp",
        "experiments",
        "input",
        "inputs",
        "local",
        "logs",
        "model",
        "models",
        "output",
        "outputs",
        "pretrained",
        "pretrained_models",
        "resources",
        "results",
        "runs",
        "saved",
        "saved_models",
        "scripts",
        "src",
        "tmp",
        "tokenizer",
        "tokenizers",
        "weights",
    ]
)
"""First parts of relative paths, which have the form of a name."""
_OPTIONS: Final = frozenset(
    {
        "--model_name_or_path",
        "--model-name-or-path",
        "--pretrained_model_name_or_path",
        "--tokenizer_name_or_path",
        "--tokenizer-name-or-path",
        "--tokenizer_name",
        "--dataset_name",
        "--base_model",
        "--model_id",
        "--model-id",
    }
)
_OF_SERVERS: Final = frozenset({"--model", "--model-path", "--tokenizer"})
_SERVERS: Final = re.compile(r"(?:^|/)vllm$|^vllm\.|^sglang\.|(?:^|/)lm_eval$|^lm_eval$")
_ARGUMENTS: Final = re.compile(r"(?:^|,)(?:pretrained|tokenizer)=([^,]+)")
_LOADED: Final = re.compile(
    r"(?:from_pretrained|load_dataset|snapshot_download|LLM)\(\s*['\"]([^'\"]+)"
)


def is_name(text: str) -> bool:
    """Whether a text is a name at the Hub, not a path."""
    return bool(_NAME.fullmatch(text)) and text.partition("/")[0].lower() not in _FOLDERS


def loaded(words: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    """The names that a command loads from the Hub, with their places.

    By options of Transformers and TRL, of vLLM, SGLang and lm_eval, and by calls in `python -c`.
    """
    server = any(_SERVERS.search(word.text) for word in words)
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        following = words[index + 1].text if index + 1 < len(words) else ""
        if name in _OPTIONS or (server and name in _OF_SERVERS):
            value = value if equals else following
            if is_name(value):
                yield word, value
        elif name == "--model_args":
            for found in _ARGUMENTS.findall(value if equals else following):
                if is_name(found):
                    yield word, found
        elif word.text == "serve" and index and _SERVERS.search(words[index - 1].text):
            # The model is the first argument.
            if is_name(following):
                yield words[index + 1], following
        elif "(" in word.text:
            yield from ((word, found) for found in _LOADED.findall(word.text) if is_name(found))


def loaded_by(job: Job) -> Iterator[tuple[Word, str]]:
    """The names that the job's commands and the programs in its here-documents load.

    Left out is what states a folder of its own for the downloads.
    """
    for command in job.file.commands:
        texts = [word.text for word in command.words]
        if not any(_states_a_folder(text) for text in texts):
            yield from loaded(command.words)
    for document in job.file.script.here_documents:
        lines = [job.file.lines[number - 1] for number in document.lines]
        if any(_states_a_folder(line) for line in lines):
            continue
        for number, line in zip(document.lines, lines, strict=True):
            for match in _LOADED.finditer(line):
                if is_name(match.group(1)):
                    place = Word(line, number, match.start() + 1, len(match.group()))
                    yield place, match.group(1)


def _states_a_folder(text: str) -> bool:
    return bool(re.search(r"cache[-_]dir|download[-_]dir|local[-_]dir|HF_HOME|HF_HUB_CACHE", text))
