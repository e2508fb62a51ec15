"""Order of test files under xdist: long files first, waiting and computing ones alternating.

With `--dist=loadfile` each worker runs one file at a time, in the order of the collection
(`--no-loadscope-reorder`). Files with booted clusters (marker `slurm`) wait most of the time, and
the others keep a processor busy: alternating them keeps the processors busy from the start, and a
file of ten minutes does not begin last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items[:] = in_file_order(items)


def in_file_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The items by file; those of one file keep their order."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    waiting = [file for file in files.values() if _count(file, "slurm")]
    computing = [file for file in files.values() if not _count(file, "slurm")]
    waiting.sort(key=lambda file: _count(file, "slurm"), reverse=True)
    computing.sort(key=lambda file: (_count(file, "slow"), len(file)), reverse=True)
    pairs = zip_longest(waiting, computing, fillvalue=[])
    return list(chain.from_iterable(chain.from_iterable(pairs)))


def _count(file: Sequence[pytest.Item], marker: str) -> int:
    return sum(item.get_closest_marker(marker) is not None for item in file)
