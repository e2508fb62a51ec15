"""Reading of the file of `cdk deploy --outputs-file`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clusterwright import files
from clusterwright.cli.errors import UserError

WRITTEN = "`cdk deploy --all --outputs-file FILE` writes it"


def outputs_by_stack(path: Path, environment: str) -> dict[str, dict[str, Any]]:
    """The outputs of the environment's stacks, by stack.

    Raises
    ------
    UserError
        The file cannot be read, is not an object of objects, or has no stack of the environment.
    """
    from clusterwright.platforms.stack_names import part_of

    try:
        document = json.loads(files.read_text(path))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist", "cdk deploy --outputs-file FILE") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path} cannot be read: {reason}") from None
    if not isinstance(document, dict):
        raise UserError(f"{path} is not an object with the outputs of each stack", WRITTEN)
    found = {
        stack: outputs
        for stack, outputs in document.items()
        if part_of(environment, stack) is not None
    }
    for stack, outputs in found.items():
        if not isinstance(outputs, dict):
            raise UserError(f"{path}: {stack} is not an object of outputs", WRITTEN)
    if not any(found.values()):
        raise UserError(
            f"{path} has no outputs of {environment}",
            f"cdk deploy -c env={environment} --all --outputs-file {path}",
        )
    return found


def read_outputs(path: Path, environment: str) -> dict[str, str]:
    """The outputs of the environment's stacks, merged.

    Raises
    ------
    UserError
        As `outputs_by_stack`; also where an output is not a string, or two stacks differ.
    """
    found: dict[str, str] = {}
    for stack, outputs in outputs_by_stack(path, environment).items():
        for name, value in outputs.items():
            if not isinstance(value, str):
                raise UserError(f"{path}: {name} of {stack} is {value!r}, not a string", WRITTEN)
            if found.setdefault(name, value) != value:
                raise UserError(
                    f"{path}: two stacks of {environment} have different values of {name}",
                    WRITTEN,
                )
    return found
