"""Where things lie in the checkout."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BIN = VENV / "bin"
PYTHON = BIN / "python"

UV_REQUIREMENTS = ROOT / "requirements" / "uv.txt"
DEV_REQUIREMENTS = ROOT / "requirements" / "dev.txt"
PROJECT = ROOT / "pyproject.toml"

CDK_MANIFEST = ROOT / "tools" / "cdk-cli" / "package.json"
CDK_LOCK = ROOT / "tools" / "cdk-cli" / "package-lock.json"
CDK_HOME = VENV / "lib" / "cdk-cli"
