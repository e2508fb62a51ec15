"""Data sets by name, and the range of tokens in a size of text.

Published data sets have 1.96 to 7.28 bytes per token, depending on the tokenizer and the language,
so a size in bytes gives a range of tokens.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Final

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Quantiles

CHINCHILLA_TOKENS_PER_PARAMETER: Final = 20
CHINCHILLA: Final = "Hoffmann et al. 2022, arXiv:2203.15556: about 20 tokens per parameter"


@dataclass(frozen=True)
class Corpus:
    """A public data set: tokens and bytes as its authors state them."""

    name: str
    tokens: float
    bytes: float
    language: str
    estimated: bool
    note: str = ""

    @property
    def bytes_per_token(self) -> float:
        """As stated; of compressed files if the note says so."""
        return self.bytes / self.tokens


def corpus(name: str) -> Corpus:
    """A data set by name.

    Raises
    ------
    GoalError
        The name is unknown.
    """
    rows = _data()["datasets"]
    key = name.strip().lower().replace("_", "-")
    if key not in rows:
        near = get_close_matches(key, rows, n=3, cutoff=0.4)
        raise GoalError(
            f"unknown data set {name!r}",
            (f"did you mean {', '.join(near)}? " if near else "")
            + "for other data sets give bytes and language, or --tokens",
            field="data.name",
        )
    return Corpus(name=key, **rows[key])


def tokens_of_text(size_bytes: float, language: str) -> Quantiles:
    """Tokens in a size of uncompressed UTF-8 text: a range, by language.

    Raises
    ------
    GoalError
        The bytes per token of the language are unknown.
    """
    factors = _data()["bytes_per_token"]
    key = language.strip().lower()
    if key not in factors:
        raise GoalError(
            f"the bytes per token of {language!r} are unknown",
            f"one of {', '.join(factors)}, or give --tokens",
            field="data.language",
        )
    factor = factors[key]
    return Quantiles(
        size_bytes / factor["high"], size_bytes / factor["mid"], size_bytes / factor["low"]
    )


def chinchilla_tokens(params: float) -> float:
    """20 tokens per parameter."""
    return CHINCHILLA_TOKENS_PER_PARAMETER * params


@functools.cache
def _data() -> Mapping[str, Any]:
    text = files("clusterwright.sizing").joinpath("data/datasets.json").read_text("utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return data
