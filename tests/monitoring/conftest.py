"""The exporter is part of the node program, which is imported from its source folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "lifecycle_scripts"))
