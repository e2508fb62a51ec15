"""Adds the platform `example` to a copy of the repository, as CONTRIBUTING describes it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
TEMPLATE: Final = Path(__file__).with_name("templates") / "platform"
NAME: Final = "example"

# What a new platform changes; everything else of the copy is a link into the repository.
_CHANGED: Final = (
    "clusterwright/platforms/registry.py",
    f"clusterwright/platforms/{NAME}",
    f"clusterwright/cluster_spec/init_templates/{NAME}.yaml",
    f"stacks/{NAME}",
)


def add_example(copy: Path) -> Path:
    """A copy of the repository in `copy`, an empty folder, with the platform `example`."""
    for path in _CHANGED:
        _link_siblings(copy, Path(path))
    registry = copy / "clusterwright/platforms/registry.py"
    text = (ROOT / "clusterwright/platforms/registry.py").read_text(encoding="utf-8")
    added = text.replace('"eks"]', f'"eks", "{NAME}"]')
    assert added != text
    registry.unlink()
    registry.write_text(added, encoding="utf-8")
    folder, stacks = copy / "clusterwright/platforms" / NAME, copy / "stacks" / NAME
    folder.mkdir()
    for name in ("__init__", "platform", "capabilities", "validators"):
        shutil.copyfile(TEMPLATE / f"{name}.py", folder / f"{name}.py")
    stacks.mkdir()
    for name in ("__init__", "composition"):
        shutil.copyfile(TEMPLATE / f"{name}.py", stacks / f"{name}.py")
    starting = ROOT / "clusterwright/cluster_spec/init_templates/eks.yaml"
    text = starting.read_text(encoding="utf-8").replace("platform: eks", f"platform: {NAME}")
    (copy / "clusterwright/cluster_spec/init_templates" / f"{NAME}.yaml").write_text(
        text, encoding="utf-8"
    )
    return copy


def _link_siblings(copy: Path, path: Path) -> None:
    """Make the parents of `path` folders of the copy, whose other entries are links."""
    for parent in reversed(path.parents):
        here = copy / parent
        if here.is_symlink():
            here.unlink()
        elif here.is_dir() and any(here.iterdir()):
            continue
        here.mkdir(exist_ok=True)
        for entry in sorted((ROOT / parent).iterdir()):
            if entry.name not in (".git", "__pycache__", ".venv", "node_modules"):
                (here / entry.name).symlink_to(entry)
