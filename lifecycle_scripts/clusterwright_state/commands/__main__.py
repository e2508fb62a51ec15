"""`python3 -m clusterwright_state.commands status`, which is `clusterwright status`."""

from __future__ import annotations

import sys

from clusterwright_state.commands.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
