"""Layers of the stages of a pipeline that they do not divide.

Megatron-LM has numbers of its own for the first and the last stage; the others have equally many
(megatron/core/transformer/transformer_block.py, get_num_layers_to_build).
"""

from __future__ import annotations


def edge_layers(layers: int, stages: int) -> tuple[int, int] | None:
    """Layers of the first and the last stage, which have the embedding and the output too.

    Neither has more than the stages between them, and each at least one.

    Returns
    -------
    None where the stages divide the layers, or where no such numbers exist.
    """
    if stages < 2 or layers % stages == 0:
        return None
    between = -(-layers // stages)
    rest = layers - (stages - 2) * between
    return (rest - rest // 2, rest // 2) if rest >= 2 else None


def fits(layers: int, stages: int) -> bool:
    """Whether a pipeline of Megatron-LM has so many stages."""
    return layers % stages == 0 or edge_layers(layers, stages) is not None


def nearest(layers: int, stages: int, most: int) -> int:
    """The nearest number of stages that fits, which divides `most`; 1 always does."""
    able = [n for n in range(1, min(layers, most) + 1) if most % n == 0 and fits(layers, n)]
    return min(able, key=lambda n: (abs(n - stages), n))
