"""Adds the platform `example` to a copy of the repository, as CONTRIBUTING describes it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from tests.support.repository_copy import RepositoryCopy

TEMPLATE: Final = Path(__file__).with_name("templates") / "platform"
NAME: Final = "example"


def add_example(copy: RepositoryCopy) -> None:
    """Add the two folders of the platform, its name, and its spec for `init`."""
    copy.edit("clusterwright/platforms/registry.py", '"pcs"]', f'"pcs", "{NAME}"]')
    for parent, modules in (
        ("clusterwright/platforms", ("__init__", "platform", "capabilities", "validators")),
        ("stacks", ("__init__", "composition")),
    ):
        folder = copy.folder / parent / NAME
        folder.mkdir()
        for module in modules:
            shutil.copyfile(TEMPLATE / f"{module}.py", folder / f"{module}.py")
    templates = copy.folder / "clusterwright/cluster_spec/init_templates"
    shutil.copyfile(templates / "eks.yaml", templates / f"{NAME}.yaml")
    copy.edit(
        f"clusterwright/cluster_spec/init_templates/{NAME}.yaml",
        "platform: eks",
        f"platform: {NAME}",
    )
