"""The commented spec that `clusterwright init` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent / "init_templates"
"""One template per platform."""


@dataclass(frozen=True)
class Choices:
    """Placeholder of values that only the user knows."""

    environment: str
    account: str
    region: str
    zone: str
    instance_type: str
    count: int
    has_local_drives: bool = True


def starting_file(
    platform: str, choices: Choices, *, schema: str | None = None, unset: Sequence[str] = ()
) -> str:
    """Return the commented text of a complete spec.

    Parameters
    ----------
    platform:
        One of the platforms.
    schema:
        Path of the JSON Schema from the file's folder, for editors; no such line if None.
    unset:
        Sections of base.yaml that the platform does not have.
    """
    template = Template((FOLDER / f"{platform}.yaml").read_text(encoding="utf-8"))
    line = f"# yaml-language-server: $schema={schema}\n#\n" if schema else ""
    text = line + template.substitute(
        asdict(choices), scratch="" if choices.has_local_drives else "#"
    )
    if not unset:
        return text
    nulls = "".join(f"{section}: null\n" for section in unset)
    return f"{text}\n# In base.yaml; platform {platform} does not have them.\n{nulls}"
