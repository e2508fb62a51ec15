"""Reading of YAML files that the command line names."""

from __future__ import annotations

from typing import Any

from clusterwright import files
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
    from ruamel.yaml.events import AliasEvent

    from clusterwright.cluster_spec.document import MAXIMUM_FILE_BYTES

    try:
        text = files.read_text(path, MAXIMUM_FILE_BYTES)
        for event in YAML(typ="safe", pure=True).parse(text):
            if isinstance(event, AliasEvent):
                # A few nested aliases of aliases would be gigabytes when they are followed.
                raise UserError(
                    f"{path}:{event.start_mark.line + 1}: aliases are not allowed",
                    "write out the value",
                )
        data = YAML(typ="safe", pure=True).load(text)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path} cannot be read: {reason.lower()}") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path} is not YAML: {str(error).splitlines()[0]}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no {of}", hint)
    return data
