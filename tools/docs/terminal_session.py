"""Writes `docs/images/terminal.svg`: a terminal session of real runs, with colours.

`python -m tools.docs terminal`. The commands run in a pseudo-terminal, in a copy of `configs/` and
`docs/samples/`, against a local AWS with the default quotas of a new account. In a browser the
lines appear one after another; without animations all lines are visible.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
COLUMNS: Final = 112
_LINE, _TOP, _LEFT, _CHARACTER = 18, 46, 16, 7.83
_SECONDS_PER_LINE, _SECONDS_PER_COMMAND = 0.06, 1.6
_FILES = ("configs", "docs/samples")


@dataclass(frozen=True)
class Command:
    """A command line of the session, its expected exit code, and a remark shown above it."""

    remark: str
    line: str
    exit_code: int


SESSION: Final = (
    Command(
        "every mistake of a file at once, each with its position",
        "clusterwright check docs/samples/misspelt.yaml",
        3,
    ),
    Command(
        "in a new account: what is missing before anything is created",
        "clusterwright check configs/examples/p5-8.yaml --only CW-Q001",
        1,
    ),
    Command(
        "what eight more nodes mean: effects, cost, quotas",
        "sed 's/count: 8/count: 16/' configs/examples/p5-8.yaml > configs/examples/more.yaml",
        0,
    ),
    Command(
        "",
        "clusterwright diff configs/examples/more.yaml"
        " --base configs/examples/p5-8.yaml --offline",
        0,
    ),
)


@dataclass(frozen=True)
class Span:
    """Characters of one line with the same style, such as `bold red`."""

    text: str
    style: str


Line = tuple[Span, ...]


class UnexpectedExit(Exception):
    """A command of the session ended with another exit code than expected."""


def drawing(session: Sequence[Command] = SESSION) -> str:
    """Run the session and return it as an SVG document.

    Raises
    ------
    UnexpectedExit
        A command had another exit code than the session states.
    """
    with tempfile.TemporaryDirectory(prefix="clusterwright-") as name, _local_aws() as url:
        folder = Path(name)
        for part in _FILES:
            shutil.copytree(ROOT / part, folder / part)
        blocks = [(command, _run(command, folder, url)) for command in session]
    return svg(blocks)


def svg(blocks: Sequence[tuple[Command, Sequence[Line]]]) -> str:
    """Return the document for commands and their output."""
    rows: list[str] = []
    seconds, row = 0.0, 0
    for command, output in blocks:
        if command.remark:
            row += 1 if row else 0
            rows.append(_text(row, (Span(f"# {command.remark}", "dim"),), seconds))
            row += 1
        for line in _wrapped(f"$ {command.line}"):
            rows.append(_text(row, (Span(line, "bold"),), seconds))
            row += 1
        seconds += _SECONDS_PER_COMMAND
        for spans in output:
            rows.append(_text(row, spans, seconds))
            row += 1
            seconds += _SECONDS_PER_LINE
    width, height = round(COLUMNS * _CHARACTER + 2 * _LEFT), _TOP + row * _LINE
    return "\n".join([_head(width, height), *[r for r in rows if r], "</svg>", ""])


def styled_lines(output: str, columns: int = COLUMNS) -> list[Line]:
    r"""Lines of a terminal's output: colours as styles, `\r` and erasures applied, wrapped."""
    lines: list[Line] = []
    style = ""
    for raw in output.split("\n"):
        cells: list[tuple[str, str]] = []
        column = 0
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", raw, re.DOTALL):
            if part == "\r":
                column = 0
            elif part.startswith("\x1b"):
                if part.endswith("m"):
                    style = _style(part[2:-1], style)
                elif part.endswith("K"):
                    cells = [] if part[2:-1] == "2" else cells[:column]
            else:
                cells[column : column + 1] = [(part, style)]
                column += 1
        if not cells:
            lines.append(())
        for start in range(0, len(cells), columns):
            lines.append(_spans(cells[start : start + columns]))
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _spans(cells: Sequence[tuple[str, str]]) -> Line:
    spans: list[Span] = []
    for character, style in cells:
        if spans and spans[-1].style == style:
            spans[-1] = Span(spans[-1].text + character, style)
        else:
            spans.append(Span(character, style))
    return tuple(spans)


_COLOURS = {31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan"}


def _style(codes: str, style: str) -> str:
    """The style after a sequence of SGR codes."""
    words = set(style.split())
    for code in (int(text or 0) for text in codes.split(";")):
        if code == 0:
            words = set()
        elif code in (1, 2):
            words.add("bold" if code == 1 else "dim")
        elif code == 22:
            words -= {"bold", "dim"}
        elif code == 39 or code % 60 in _COLOURS:
            words -= set(_COLOURS.values())
            if code != 39:
                words.add(_COLOURS[code % 60])
    return " ".join(sorted(words))


def _run(command: Command, folder: Path, url: str) -> list[Line]:
    """Run a command in a pseudo-terminal and return what it shows at the end."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["bash", "--noprofile", "--norc", "-c", _PRELUDE.format(sys.executable) + command.line],
        cwd=folder,
        env=_environment(url),
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    output = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the last process has closed the terminal
            break
        if not part:
            break
        output += part
    os.close(leader)
    code = process.wait()
    text = output.decode("utf-8").replace("\r\n", "\n")
    if code != command.exit_code:
        raise UnexpectedExit(f"`{command.line}` exited with {code}:\n{text}")
    return styled_lines(text)


_PRELUDE = 'clusterwright() {{ "{0}" -m clusterwright "$@"; }}\n'


def _environment(url: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AWS_") and k != "NO_COLOR"}
    path = [ROOT, ROOT / "packages" / "localaws", ROOT / "packages" / "rehearsal"]
    return kept | {
        "PYTHONPATH": os.pathsep.join(map(os.fspath, path)),
        "TERM": "xterm-256color",
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "111122223333",
        "AWS_SECRET_ACCESS_KEY": "local",
    }


@contextmanager
def _local_aws() -> Iterator[str]:
    words = [sys.executable, "-m", "clusterwright", "localaws", "--port", "0"]
    server = subprocess.Popen(
        [*words, "--world", "new-account"],
        env=_environment(""),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[1]
    finally:
        server.terminate()
        server.wait(30)


def _wrapped(text: str) -> list[str]:
    return [text[i : i + COLUMNS] for i in range(0, len(text), COLUMNS)]


def _text(row: int, spans: Line, seconds: float) -> str:
    """One line; an empty one has no element."""
    if not spans:
        return ""
    parts = "".join(
        f'<tspan class="{span.style}">{escape(span.text)}</tspan>'
        if span.style
        else escape(span.text)
        for span in spans
    )
    place = f'x="{_LEFT}" y="{_TOP + row * _LINE}" style="animation-delay: {seconds:.2f}s"'
    return f'  <text {place} xml:space="preserve">{parts}</text>'


def _head(width: int, height: int) -> str:
    return f"""\
<!-- Generated by `python -m tools.docs terminal` from real runs; do not edit. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-label="A terminal session of clusterwright">
  <style>
    text {{ font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
           fill: #e6edf3; white-space: pre; animation: appear 0.01s both }}
    .bold {{ font-weight: bold }}
    .dim {{ fill: #8b949e }}
    .red {{ fill: #ff7b72 }}
    .green {{ fill: #7ee787 }}
    .yellow {{ fill: #e3b341 }}
    .blue {{ fill: #79c0ff }}
    .magenta {{ fill: #d2a8ff }}
    .cyan {{ fill: #76e3ea }}
    @keyframes appear {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
    @media (prefers-reduced-motion: reduce) {{ text {{ animation: none }} }}
  </style>
  <rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>
  <circle cx="20" cy="18" r="6" fill="#ff5f56"/>
  <circle cx="40" cy="18" r="6" fill="#ffbd2e"/>
  <circle cx="60" cy="18" r="6" fill="#27c93f"/>"""
