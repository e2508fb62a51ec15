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
from benchmarks.suite import comparisons, quick_comparisons
from benchmarks.table import as_json, as_line, as_text, machine


def main(arguments: list[str] | None = None) -> int:
    """Measure and print results as lines and a table; return 1 if a command fails."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each (5; 1 with --quick)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="without deployments, booted nodes and other provisioners: less than five minutes",
    )
    parser.add_argument("--only", metavar="TEXT", help="only comparisons whose name contains TEXT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to FILE")
    options = parser.parse_args(arguments)
    runs = options.runs if options.runs is not None else 1 if options.quick else 5
    if runs < 1:
        parser.error("--runs must be at least 1")
    suite = quick_comparisons if options.quick else comparisons

    results: list[Result] = []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="clusterwright-bench-") as folder:
        chosen = [
            comparison
            for comparison in suite(Path(folder))
            if not options.only or options.only in comparison.name
        ]
        for comparison in chosen:
            print(f"bench: {comparison.name} ...", file=sys.stderr, flush=True)
            result = _measure(comparison, runs)
            if result is None:
                failed += 1
            else:
                results.append(result)
                # The table follows at the end: a run that is ended early has shown something.
                print(f"bench: {as_line(result)}", file=sys.stderr, flush=True)
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
