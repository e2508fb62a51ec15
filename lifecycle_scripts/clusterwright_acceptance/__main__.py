"""`python3 -m clusterwright_acceptance node|boot|report|counters|plan|cluster|kubernetes|hold`."""

from __future__ import annotations

import sys

from clusterwright_acceptance.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
