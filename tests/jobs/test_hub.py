"""Models and data sets of the Hugging Face Hub that programs load."""

from __future__ import annotations

import pytest

from clusterwright.jobs.hub import is_name, loaded
from clusterwright.jobs.shell import Word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("meta-llama/Llama-3.1-8B", True),
        ("checkpoints/run-1", False),
        ("/fsx/models/llama", False),
        ("a/b/c", False),
        ("llama", False),
    ],
)
def test_names(text: str, expected: bool) -> None:
    assert is_name(text) is expected


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("train.py --model_name_or_path a/b --dataset_name=c/d", ["a/b", "c/d"]),
        ("vllm serve --model a/b", ["a/b"]),
        ("train.py --model a/b", []),
        ("lm_eval --model_args pretrained=a/b,dtype=float", ["a/b"]),
    ],
)
def test_names_that_commands_load(command: str, names: list[str]) -> None:
    words = [Word(text, 1, 1, len(text)) for text in command.split()]
    assert [name for _, name in loaded(words)] == names
