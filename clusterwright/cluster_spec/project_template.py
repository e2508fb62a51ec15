"""The files of a repository for a team's specs, which `clusterwright init --project` writes."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Final

from clusterwright.cluster_spec.init_template import FOLDER, Choices, starting_file

SUBMODULE: Final = "vendor/clusterwright"
"""Folder of Clusterwright in the repository, a git submodule."""

SCHEMA: Final = f"../{SUBMODULE}/schema/cluster.schema.json"

_TEMPLATES: Final = {
    "README.md": "README.md",
    ".gitignore": "gitignore",
    "cdk.json": "cdk.json",
    "configs/base.yaml": "base.yaml",
}
"""File of the project -> template in `init_templates/project/`."""

REVIEW: Final = ".github/workflows/review.yml"


def project_files(platform: str, choices: Choices) -> dict[str, str]:
    """Return the texts of a project by their paths, relative to its folder."""
    folder = FOLDER / "project"
    values = {"environment": choices.environment}
    files = {
        path: Template((folder / name).read_text(encoding="utf-8")).substitute(values)
        for path, name in _TEMPLATES.items()
    }
    # GitHub's expressions look like placeholders: this file is copied as it is.
    files[REVIEW] = (folder / "review.yml").read_text(encoding="utf-8")
    spec = Path("configs") / f"{choices.environment}.yaml"
    return {**files, spec.as_posix(): starting_file(platform, choices, schema=SCHEMA)}
