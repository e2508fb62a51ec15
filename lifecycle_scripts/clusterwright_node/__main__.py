"""Entry of `python3 -m clusterwright_node`. Kept readable for old interpreters, so that they can
say what is wrong.
"""

import sys

from clusterwright_node.main import main

sys.exit(main(sys.argv[1:]))
