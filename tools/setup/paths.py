"""Where things lie in the checkout."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BIN = VENV / "bin"
PYTHON = BIN / "python"

UV_REQUIREMENTS = ROOT / "requirements" / "uv.txt"
DEV_REQUIREMENTS = ROOT / "requirements" / "dev.txt"
DISTRIBUTIONS = (ROOT, ROOT / "packages" / "localaws", ROOT / "packages" / "rehearsal")
"""Folders with a pyproject.toml: each is installed from the checkout."""

CDK_MANIFEST = ROOT / "tools" / "cdk-cli" / "package.json"
CDK_LOCK = ROOT / "tools" / "cdk-cli" / "package-lock.json"
CDK_HOME = VENV / "lib" / "cdk-cli"

OLD_PYTHON_MANIFEST = ROOT / "tools" / "old-python" / "package.json"
OLD_PYTHON_LOCK = ROOT / "tools" / "old-python" / "package-lock.json"
OLD_PYTHON_HOME = VENV / "lib" / "old-python"
