"""One text of two layers, and the upper layer of one text again."""

from __future__ import annotations

from typing import Any

from clusterwright.cluster_spec.problems import Path
from clusterwright.migration.text_edit import Editor


def flattened(top: str, base: str | None) -> str:
    """The upper file with what it leaves to the lower one, nulls and all."""
    editor = Editor(top)
    if base is None:
        return editor.text
    below = Editor(base)
    written = editor.data
    for key, value in below.data.items():
        if key not in written:
            if editor.text and not editor.text.endswith("\n\n"):
                editor.text += "\n"
            editor.text += below.section(key)
        elif isinstance(value, dict) and isinstance(written[key], dict):
            _fill(editor, (key,), value, written[key])
    return editor.text


def upper_layer(text: str, base: str | None) -> str:
    """What of `text` must stand in a file over `base`: what is the same is left out again."""
    if base is None:
        return text
    editor = Editor(text)
    _take_off(editor, (), Editor(base).data, editor.data)
    return editor.text


def _fill(editor: Editor, here: Path, below: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in below.items():
        if key not in above:
            editor.put((*here, key), value)
        elif isinstance(value, dict) and isinstance(above[key], dict):
            _fill(editor, (*here, key), value, above[key])


def _take_off(editor: Editor, here: Path, below: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in below.items():
        path = (*here, key)
        if key not in above:
            editor.put(path, None)
        elif above[key] == value:
            editor.delete(path)
        elif isinstance(value, dict) and isinstance(above[key], dict):
            _take_off(editor, path, value, above[key])
