"""Reading of YAML files that the command line names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.cli.errors import UserError


def read_mapping(path: str, *, of: str = "mapping", hint: str | None = None) -> dict[str, Any]:
    """The mapping of a YAML file; an empty file is an empty mapping.

    Parameters
    ----------
    of:
        What the file should hold, for the error message.

    Raises
    ------
    UserError
        The file cannot be read, is not YAML, or holds something else.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        data = YAML(typ="safe", pure=True).load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path} cannot be read: {reason.lower()}") from None
    except YAMLError as error:
        raise UserError(f"{path} is not YAML: {str(error).splitlines()[0]}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no {of}", hint)
    return data
