"""`python3 -m clusterwright_spot --slurm-name=ip-10-0-1-5`."""

from __future__ import annotations

import sys

from clusterwright_spot.service import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
