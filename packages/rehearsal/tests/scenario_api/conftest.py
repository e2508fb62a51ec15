"""Programs of nodes are not part of the package: they are imported from their source folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "lifecycle_scripts"))
