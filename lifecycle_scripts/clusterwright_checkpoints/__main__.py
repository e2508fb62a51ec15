"""`python3 -m clusterwright_checkpoints serve|once|flush --local --shared --node`."""

from __future__ import annotations

import sys

from clusterwright_checkpoints.service import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
