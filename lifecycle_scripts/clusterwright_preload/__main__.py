"""`python3 -m clusterwright_preload --mount /fsx --path /fsx/corpus`."""

from __future__ import annotations

import sys

from clusterwright_preload.service import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
