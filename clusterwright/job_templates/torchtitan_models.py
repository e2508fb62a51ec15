"""The models that torchtitan has, by the planner's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

VERSION: Final = "0.2.2"
FLAVORS: Final[Mapping[str, tuple[str, str]]] = {
    "llama3-8b": ("llama3", "8B"),
    "llama3-70b": ("llama3", "70B"),
    "llama3.1-8b": ("llama3", "8B"),
    "llama3.1-70b": ("llama3", "70B"),
    "llama3.1-405b": ("llama3", "405B"),
    "llama4-maverick": ("llama4", "17bx128e"),
    "deepseek-v3": ("deepseek_v3", "671B"),
    "qwen3-8b": ("qwen3", "8B"),
    "qwen3-14b": ("qwen3", "14B"),
    "qwen3-32b": ("qwen3", "32B"),
    "qwen3-30b-a3b": ("qwen3", "30B-A3B"),
    "qwen3-235b-a22b": ("qwen3", "235B-A22B"),
}
"""Name and flavor of torchtitan's models, by the planner's names."""
