"""The node program's contract of its input files, imported from `lifecycle_scripts`.

The node program is not a part of this package: it is uploaded for the nodes, and imports the
standard library only. Its contract describes the files that the stacks write.
"""

from __future__ import annotations

import os
import sys

from stacks.lifecycle.scripts import FOLDER

if os.fspath(FOLDER) not in sys.path:
    sys.path.append(os.fspath(FOLDER))

from clusterwright_common import installation
from clusterwright_node import contract
from clusterwright_node.fields import build, to_json

__all__ = ["build", "contract", "installation", "to_json"]
