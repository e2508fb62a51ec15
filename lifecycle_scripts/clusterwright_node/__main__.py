"""Entry point of `python3 -m clusterwright_node`. Its syntax is that of old interpreters, so that
they can report which version is required.
"""

import sys

if sys.version_info < (3, 9):  # noqa: UP036 - an image may have an older one
    sys.stdout.write(
        "clusterwright: step start failed: python3 is "
        + sys.version.split()[0]
        + ". What to do: use an image with 3.9 or newer\n"
    )
    sys.exit(70)

from clusterwright_node.main import main

sys.exit(main(sys.argv[1:]))
