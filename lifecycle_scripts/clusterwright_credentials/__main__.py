"""`python3 -m clusterwright_credentials --role-arn --session-name --region`."""

from __future__ import annotations

import sys

from clusterwright_credentials.service import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
