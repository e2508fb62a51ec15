"""Write `data/*.json`: `python -m clusterwright.catalog.generate [--check]`.

In a checkout it also writes the node program's copies of `software.json` and of the module that
evaluates it.

Inputs are `sources/`, the pinned moto package (EC2's own answers), botocore's models, and the
snapshots that `clusterwright catalog refresh --write` left in `sources/live/`. The same inputs
give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright.catalog import snapshot, writer
from clusterwright.catalog.building import (
    inputs,
    instances,
    prices,
    quotas,
    software,
    tables,
)
from clusterwright.catalog.building import (
    zones as zone_tables,
)

DATA: Final = Path(__file__).resolve().parent / "data"


def documents() -> dict[str, dict[str, Any]]:
    """The content of every data file by name, including live snapshots."""
    names = instances.names()
    records = instances.instances(names["hyperpod"])
    zones, offerings = zone_tables.zones_and_offerings(records["instances"], records["instances"])
    made = {
        "sources": tables.sources(),
        "names": names,
        "instances": records,
        "zones": zones,
        "offerings": offerings,
        "prices": prices.prices(records["instances"]),
        "quotas": quotas.quotas(),
        "accelerators": tables.accelerators(),
        "ultraservers": tables.ultraservers(),
        "network": tables.network(),
        "lustre": tables.lustre(),
        "limits": tables.limits(),
        "software": software.software(),
    }
    for live in inputs.snapshots():
        made = snapshot.apply(made, live)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; with `--check`, write nothing and return 1 if a file differs."""
    parser = argparse.ArgumentParser(prog="python -m clusterwright.catalog.generate")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file differs")
    options = parser.parse_args(arguments)
    made = {f"{name}.json": writer.text(name, content) for name, content in documents().items()}
    present = {path.name for path in DATA.glob("*.json")}
    changed = [
        name
        for name, text in made.items()
        if name not in present or (DATA / name).read_text(encoding="utf-8") != text
    ]
    stray = sorted(present - made.keys())
    for name in [*changed, *stray]:
        print(f"{'differs' if options.check else 'wrote'}: {name}", file=sys.stderr)
    if not options.check:
        DATA.mkdir(exist_ok=True)
        for name in changed:
            files.write_over(DATA / name, made[name])
        for name in stray:
            (DATA / name).unlink()
    copied = _copy(write=not options.check)
    return 1 if options.check and (changed or stray or copied) else 0


def _copy(*, write: bool) -> list[str]:
    """The names of the node program's copies that differed; with `write` they are written."""
    differing = []
    for original, copy in software.COPIES.items():
        text = original.read_text(encoding="utf-8")
        if not copy.parent.is_dir() or (copy.is_file() and copy.read_text("utf-8") == text):
            continue
        differing.append(copy.name)
        print(
            f"{'wrote' if write else 'differs'}: {copy.parent.name}/{copy.name}", file=sys.stderr
        )
        if write:
            files.write_over(copy, text)
    return differing


if __name__ == "__main__":
    sys.exit(main())
