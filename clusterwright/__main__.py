"""`python -m clusterwright` is `clusterwright`."""

import sys

from clusterwright.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
