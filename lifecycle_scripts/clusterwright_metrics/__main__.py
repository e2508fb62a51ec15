"""`python3 -m clusterwright_metrics --role=compute --listen=10.0.0.5:9177`."""

from __future__ import annotations

import sys

from clusterwright_metrics.service import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
