"""Sum of the nodes' fio results: `fio_summary.py --nodes=N --way=write FOLDER`.

FOLDER has one JSON file of fio per node. Prints the sum, the median and the slowest nodes. Ends
with 1 if a node has no result, or fio reports an error.

Python 3.9, standard library.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

SLOWEST = 3


class BadResultError(Exception):
    """A file is not a result of fio, or fio reports an error."""


def megabytes_per_second(text, way):
    """The throughput of one direction in MB/s. Raises BadResultError."""
    try:
        # Warnings of fio may stand before the JSON.
        jobs = json.loads(text[text.index("{") :])["jobs"]
        error = next((int(job["error"]) for job in jobs if job.get("error")), 0)
        value = sum(float(job[way]["bw_bytes"]) for job in jobs) / 1e6
    except (ValueError, KeyError, TypeError, AttributeError) as reason:
        raise BadResultError("the result has an unknown form") from reason
    if error:
        raise BadResultError(f"fio reports error {error}")
    if value <= 0:
        raise BadResultError("nothing was transferred")
    return value


def results(folder, way):
    """Values by node, and reasons by node without one."""
    values, bad = {}, {}
    for file in sorted(folder.glob("*.json")):
        try:
            values[file.stem] = megabytes_per_second(file.read_text("utf-8", "replace"), way)
        except (BadResultError, OSError) as reason:
            bad[file.stem] = str(reason)
    return values, bad


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--way", choices=("write", "read"), required=True)
    options = parser.parse_args(argv)
    values, bad = results(options.folder, options.way)
    for node, reason in bad.items():
        print(f"{node}: {reason}")
    if values:
        middle = statistics.median(values.values())
        print(
            f"{options.way}: {len(values)} nodes, together {sum(values.values()):.0f} MB/s, "
            f"median {middle:.0f} MB/s"
        )
        for node, value in sorted(values.items(), key=lambda pair: pair[1])[:SLOWEST]:
            print(f"  {node} {value:.0f} MB/s, {value / middle:.0%} of the median")
    missing = options.nodes - len(values)
    if missing:
        print(f"{missing} of {options.nodes} nodes have no result")
    return 1 if missing or bad else 0


if __name__ == "__main__":
    sys.exit(main())
