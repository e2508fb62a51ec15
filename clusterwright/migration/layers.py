"""Merge two layers of YAML text into one, and derive the upper layer from a merged text."""

from __future__ import annotations

from typing import Any

from clusterwright.cluster_spec.problems import Path
from clusterwright.migration.yaml_editor import Editor


def flattened(top: str, base: str | None) -> str:
    """The upper file with the keys that it takes from the lower one, nulls included."""
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
    """The part of `text` that a file over `base` needs: equal values are left out."""
    if base is None:
        return text
    editor = Editor(text)
    _remove_equal(editor, (), Editor(base).data, editor.data)
    return editor.text


def _fill(editor: Editor, here: Path, below: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in below.items():
        if key not in above:
            editor.put((*here, key), value)
        elif isinstance(value, dict) and isinstance(above[key], dict):
            _fill(editor, (*here, key), value, above[key])


def _remove_equal(
    editor: Editor, here: Path, below: dict[str, Any], above: dict[str, Any]
) -> None:
    for key, value in below.items():
        path = (*here, key)
        if key not in above:
            editor.put(path, None)
        elif above[key] == value:
            editor.delete(path)
        elif isinstance(value, dict) and isinstance(above[key], dict):
            _remove_equal(editor, path, value, above[key])
