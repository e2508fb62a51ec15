"""`python3 -m clusterwright_state --bucket=NAME --environment=prod --region=us-east-1`."""

from __future__ import annotations

import sys

from clusterwright_state.service import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
