"""`python -m clusterwright_localaws` is `clusterwright localaws`."""

import sys

from clusterwright.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["localaws", *sys.argv[1:]]))
