"""`python -m tools.docs [--check] [NAME...]`: write or compare the generated documents."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tools.docs.documents import Document, documents


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the documents; with `--check`, write nothing and return 1 if one is stale."""
    known = {document.name: document for document in documents()}
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(known)} (all)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"there is no document {unknown[0]}: {', '.join(known)}")
    selected = [known[name] for name in options.names or known]
    return _check(selected) if options.check else _write(selected)


def _check(selected: Sequence[Document]) -> int:
    stale = [document for document in selected if not document.is_current]
    for document in stale:
        command = f"python -m tools.docs {document.name}"
        print(f"{document.path} is stale: run `{command}`", file=sys.stderr)
    return 1 if stale else 0


def _write(selected: Sequence[Document]) -> int:
    for document in selected:
        document.file.parent.mkdir(parents=True, exist_ok=True)
        document.file.write_text(document.text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
