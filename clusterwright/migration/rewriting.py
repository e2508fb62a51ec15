"""The file that `migrate` is changing, with the notes about the changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clusterwright.migration.results import Note
from clusterwright.migration.yaml_editor import Editor
from clusterwright.platforms.registry import PlatformName


@dataclass
class Rewriting:
    """The text that is being changed, and the notes about the changes."""

    editor: Editor
    target: PlatformName
    file: str
    lost: list[Note] = field(default_factory=list)
    moves: list[Note] = field(default_factory=list)
    decisions: list[Note] = field(default_factory=list)

    @property
    def compute(self) -> list[dict[str, Any]]:
        groups = self.editor.data.get("compute")
        return groups if isinstance(groups, list) else []
