"""The command line of `make lint`."""

from __future__ import annotations

import argparse
import sys
import time

from tools.lint.linters import linters


def main(arguments: list[str] | None = None) -> int:
    """Run every linter, even after a failure; return 1 when any failed."""
    parser = argparse.ArgumentParser(prog="make lint", description="Run the linters")
    parser.add_argument("--fix", action="store_true", help="fix what can be fixed automatically")
    options = parser.parse_args(arguments)
    failed = 0
    for linter in linters():
        started = time.monotonic()
        result = linter.run(fix=options.fix)
        verdict = "ok" if result.returncode == 0 else "FAILED"
        print(f"lint: {linter.name:<14} {verdict:<7} {time.monotonic() - started:5.1f} s")
        if result.returncode != 0:
            failed += 1
            print(result.stdout)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
