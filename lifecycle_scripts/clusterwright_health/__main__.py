"""`python3 -m clusterwright_health prolog|epilog|periodic`."""

from __future__ import annotations

import sys

from clusterwright_health.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
