"""Writes docs/explanations/platforms.md: `python -m clusterwright.platforms.reference`.

`--check` says whether the committed page is current.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from clusterwright.catalog import Catalog, Known, load_catalog
from clusterwright.platforms.capabilities import (
    CAPABILITIES,
    CAPACITY,
    DAILY,
    Capability,
    Cell,
    takes_type,
)
from clusterwright.platforms.founding import CORRECTIONS
from clusterwright.platforms.registry import PLATFORMS
from clusterwright.platforms.untried import EVERYWHERE, UNTRIED

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "explanations" / "platforms.md"

FAMILIES: Final = ("p4", "p5", "p6", "trn", "inf2", "g5.48", "g6.48", "g6e.48", "g7.48", "g7e.48")
"""Types of the founding documents, and what trains beside them, by the beginning of the name."""

NAMES: Final = {
    "hyperpod-slurm": "HyperPod, Slurm",
    "hyperpod-eks": "HyperPod, EKS",
    "parallelcluster": "ParallelCluster",
    "eks": "EKS",
}

_HEAD = """\
<!-- Written by `python -m clusterwright.platforms.reference`; change the data, not this page. -->

# Four platforms

`platform:` in a spec is `hyperpod-slurm`, `hyperpod-eks`, `parallelcluster` or `eks`. This page
is written from the same data that `clusterwright check`, `plan` and `migrate` use. A key, a type
or a kind of capacity that a platform does not take is an error that names those that take it;
[Move between platforms](../how-to/move-between-platforms.md) says how to go there.

"yes" and "no" are what the platform's API, code or documentation says, as named under each table.
"unknown" was looked for and not found. Nothing here was tried on AWS.
"""

_TYPES = """\
HyperPod takes what its API lists. ParallelCluster asks EC2 about the type, and EKS needs the
type's addresses in the VPC CNI: what neither source has is unknown. Whether a region sells it, and
how, is another question: `clusterwright catalog show` and `clusterwright check` answer it.
"""

_DAILY = """\
What people meet every day, by the rows of the founding documents.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or with `--check` say whether it is the one that would be written."""
    parser = argparse.ArgumentParser(description="Write the page that compares the platforms.")
    parser.add_argument("--check", action="store_true", help="only say whether it is current")
    options = parser.parse_args(arguments)
    page = reference(load_catalog())
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    command = "python -m clusterwright.platforms.reference"
    print(f"{PAGE.name} is not what the data says: run `{command}`", file=sys.stderr)
    return 1


def reference(catalog: Catalog) -> str:
    """The whole page."""
    lines = [_HEAD, "## Instance types", "", _TYPES, *_types(catalog)]
    lines += ["", "## Capacity", "", *_table("Kind", CAPACITY)]
    lines += ["", "## What each can do", "", *_table("", CAPABILITIES)]
    lines += ["", "## Slurm against EKS", "", _DAILY, *_table("", DAILY)]
    lines += ["", "## Where the founding documents err", "", *_corrections()]
    lines += ["", "## What cannot be tried without AWS", "", *_untried()]
    return "\n".join(lines) + "\n"


def _types(catalog: Catalog) -> Iterator[str]:
    head = ["Type", *(NAMES[p] for p in PLATFORMS), "Spot", "Capacity block", "Training plan"]
    yield _row(head)
    yield _row(["---"] * len(head))
    sources: dict[str, None] = {}
    for name in sorted(catalog.described_names):
        instance = catalog.instance(name)
        if instance is None or not name.startswith(FAMILIES):
            continue
        cells = [takes_type(p, name, catalog) for p in PLATFORMS]
        sources |= dict.fromkeys(c.source for c in cells if c.answer == "yes")
        blocks = instance.capacity_block_places
        yield _row(
            [
                f"`{name}`",
                *(cell.answer for cell in cells),
                _word(instance.spot.value) if isinstance(instance.spot, Known) else "unknown",
                _word(bool(blocks.value)) if isinstance(blocks, Known) else "unknown",
                _word(name in catalog.training_plan_names),
            ]
        )
    yield ""
    yield f"Sources: {'; '.join(sources)}."


def _word(value: object) -> str:
    return "yes" if value else "no"


def _table(first: str, rows: Iterable[Capability]) -> Iterator[str]:
    rows = tuple(rows)
    yield _row([first, *(NAMES[p] for p in PLATFORMS)])
    yield _row(["---"] * (len(PLATFORMS) + 1))
    for row in rows:
        yield _row([row.title, *(_cell(row.cells[p], row.title) for p in PLATFORMS)])
    yield ""
    yield "Sources, in the order of the rows:"
    yield ""
    for row in rows:
        sources = dict.fromkeys(row.cells[p].source for p in PLATFORMS)
        yield f"- {row.title}: {'; '.join(sources)}."


def _cell(cell: Cell, title: str) -> str:
    return cell.answer if cell.words == title else f"{cell.answer}: {cell.words}"


def _corrections() -> Iterator[str]:
    yield _row(["Document", "It says", "It is", "Source"])
    yield _row(["---"] * 4)
    for one in CORRECTIONS:
        yield _row([one.document, one.claim, one.truth, one.source])
    yield ""
    yield "[Founding examples](founding-examples.md) has their calculations, right and wrong."


def _untried() -> Iterator[str]:
    yield "On all four:"
    yield ""
    yield from (f"- {text};" for text in EVERYWHERE[:-1])
    yield f"- {EVERYWHERE[-1]}."
    for platform in PLATFORMS:
        yield ""
        yield f"`{platform}`, beside those:"
        yield ""
        yield from (f"- {text};" for text in UNTRIED[platform][:-1])
        yield f"- {UNTRIED[platform][-1]}."


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
