"""The commands that the documentation shows, with the output shown below each.

A page may say, in a comment on a line of its own before a block:

- `<!-- run by: tests/... -->`: the commands of the next block are run by that test;
- `<!-- in: empty folder -->`: the following commands run in a new, empty folder;
- `<!-- in: a checkout -->`: the following commands run in a copy of this checkout (the default);
- `<!-- world: NAME -->`: the following commands use the local AWS in that world (default:
  `generous`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.lint.files import ROOT

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])

_DIRECTIVE = re.compile(r"<!-- (run by|in|world): (.+?) -->")
_COMMAND = re.compile(r"\$ (?P<command>.+)")


@dataclass
class Shown:
    """One command of a page: the command line, the output shown, and where it is run."""

    page: Path
    line: int
    command: str
    output: list[str] = field(default_factory=list)
    run_by: str | None = None
    folder: str = "a checkout"
    folder_number: int = 0
    world: str = "generous"

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def shown_commands(page: Path) -> list[Shown]:
    """Every `$ command` in the console blocks of a page, in order."""
    found: list[Shown] = []
    inside = False
    run_by: str | None = None
    folder, folder_number = "a checkout", 0
    world = "generous"
    indent = 0
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        directive = None if inside else _DIRECTIVE.fullmatch(line.strip())
        if directive and directive[1] == "run by":
            run_by = directive[2]
        elif directive and directive[1] == "world":
            world = directive[2]
        elif directive:
            folder, folder_number = directive[2], folder_number + 1
        elif line.strip().startswith("```"):
            if inside:
                run_by = None
            inside = not inside and line.strip() == "```console"
            indent = len(line) - len(line.lstrip())
        elif inside and (match := _COMMAND.fullmatch(line[indent:])):
            command = re.sub(r"\s+# .*$", "", match["command"])
            place = (page, number, command, [], run_by, folder, folder_number, world)
            found.append(Shown(*place))
        elif inside and found:
            found[-1].output.append(line[indent:])
    return found


def matches(shown: list[str], real: str) -> bool:
    """Return whether the real output has the lines shown; `...` alone stands for any lines."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            # Inside a line, `...` stands for anything too.
            pattern += r".*".join(re.escape(part) for part in line.rstrip().split("...")) + r" *\n"
    real_lines = "".join(f"{line}\n" for line in real.splitlines())
    return re.fullmatch(pattern + r"\n*", real_lines) is not None
