"""Known models by name: shapes only, each with its source, without training hours."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.shape import Experts, LatentAttention, ModelShape


def model(name: str) -> ModelShape:
    """The shape of a known model, by name or alias; case does not matter.

    Raises
    ------
    GoalError
        The name is unknown; the hint names similar models and other ways to give a model.
    """
    table = _table()
    key = _aliases().get(_plain(name))
    if key is None:
        near = get_close_matches(_plain(name), _aliases(), n=3, cutoff=0.5)
        meant = ", ".join(dict.fromkeys(_aliases()[n] for n in near))
        raise GoalError(
            f"unknown model {name!r}",
            (f"did you mean {meant}? " if meant else "")
            + "for other models: --model path/to/config.json (Hugging Face), or --params and "
            "--tokens",
            field="model",
        )
    return _shape(key, table[key])


def model_names() -> tuple[str, ...]:
    """Every name, without aliases."""
    return tuple(_table())


def usual_seq_len(name: str) -> int | None:
    """The usual sequence length of a known model, or `None`."""
    key = _aliases().get(_plain(name))
    return None if key is None else int(_table()[key]["seq_len"])


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


@functools.cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    text = files("clusterwright.sizing").joinpath("data/models.json").read_text("utf-8")
    rows: Mapping[str, Mapping[str, Any]] = json.loads(text)["models"]
    return rows


@functools.cache
def _aliases() -> Mapping[str, str]:
    found = {}
    for key, row in _table().items():
        for name in (key, *row["aliases"]):
            found[_plain(name)] = key
    return found


def _shape(name: str, row: Mapping[str, Any]) -> ModelShape:
    facts = {k: v for k, v in row.items() if k not in {"aliases", "experts", "latent", "seq_len"}}
    experts = Experts(**row["experts"]) if "experts" in row else None
    latent = LatentAttention(**row["latent"]) if "latent" in row else None
    shape = ModelShape(name=name, experts=experts, latent=latent, **facts)
    shape.check()
    return shape
