"""The command line of `make bench`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.compare import Comparison, Result, measure
from benchmarks.gate import gate_figures, gate_table
from benchmarks.rehearsals import step_figures, step_table
from benchmarks.suite import comparisons
from benchmarks.table import as_json, as_text, machine


def main(arguments: list[str] | None = None) -> int:
    """Measure and print a table; return 1 if a command fails, whatever the durations."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each (5)")
    parser.add_argument("--only", metavar="TEXT", help="only comparisons whose name contains TEXT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to FILE")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error("--runs is at least 1")

    results: list[Result] = []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="clusterwright-bench-") as folder:
        chosen = [
            comparison
            for comparison in comparisons(Path(folder))
            if not options.only or options.only in comparison.name
        ]
        for comparison in chosen:
            print(f"bench: {comparison.name} ...", file=sys.stderr, flush=True)
            result = _measure(comparison, options.runs)
            if result is None:
                failed += 1
            else:
                results.append(result)
        # While its servers are running.
        gate, gate_lines = gate_figures(), gate_table()
    print("\n".join([as_text(results, machine()), *gate_lines, *step_table()]))
    if options.json:
        figures = as_json(results, machine()) | {"steps": step_figures(), "gate": gate}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if failed or not results else 0


def _measure(comparison: Comparison, runs: int) -> Result | None:
    try:
        return measure(comparison, runs)
    except RuntimeError as error:
        print(f"bench: {comparison.name}: {error}", file=sys.stderr, flush=True)
        return None


if __name__ == "__main__":
    sys.exit(main())
