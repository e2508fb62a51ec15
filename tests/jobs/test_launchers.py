"""Options of launchers: names in full, shortened to one, and unknown ones."""

from __future__ import annotations

import pytest

from clusterwright.jobs.launchers import LAUNCHERS


@pytest.mark.parametrize(
    ("launcher", "option", "is_known"),
    [
        ("torchrun", "nproc-per-node", True),
        ("torchrun", "nproc", True),
        ("torchrun", "rdzv", False),
        ("torchrun", "num-gpus", False),
        ("accelerate", "num-machines", True),
        ("deepspeed", "num-gpus", True),
        ("deepspeed", "nproc-per-node", False),
    ],
)
def test_known_options(launcher: str, option: str, is_known: bool) -> None:
    assert LAUNCHERS[launcher].knows(option) is is_known


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_lists_do_not_contradict_each_other(launcher: str) -> None:
    options = LAUNCHERS[launcher]
    assert not options.flags & options.valued
    assert options.own <= options.flags | options.valued
