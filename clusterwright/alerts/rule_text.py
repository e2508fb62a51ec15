"""The rule file as YAML."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Sequence
from typing import Any


def as_yaml(content: dict[str, Any]) -> str:
    """The document of a rule file, of JSON types, in YAML."""
    return _as_yaml(json.dumps(content))


@functools.lru_cache(maxsize=16)
def _as_yaml(content: str) -> str:
    """Of clusters with the same alerts once: ruamel.yaml takes a tenth of a second."""
    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import LiteralScalarString

    def with_blocks(value: Any) -> Any:
        """Texts of several lines as blocks."""
        if isinstance(value, dict):
            return {key: with_blocks(each) for key, each in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [with_blocks(each) for each in value]
        if isinstance(value, str) and "\n" in value:
            return LiteralScalarString(value)
        return value

    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    writer.dump(with_blocks(json.loads(content)), stream)
    return stream.getvalue()
