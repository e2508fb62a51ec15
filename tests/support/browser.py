"""Rendering of an HTML file in a real browser."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.setup import browser
from tools.setup.paths import BIN

# Allowance for a busy machine; alone it takes two seconds.
_LIMIT_SECONDS = 180
_ATTEMPTS = 3

_LOOK = """(() => {
  const seen = (e) => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; };
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const charts = [...document.querySelectorAll('svg')].map((svg) => {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map((t) => ({
      words: t.textContent, box: t.getBoundingClientRect() }));
    return {
      title: svg.getAttribute('aria-label'),
      marks: [...svg.querySelectorAll('rect, circle, polyline')].filter(seen).length,
      outside: texts.filter((t) => t.box.left < frame.left - 1 || t.box.right > frame.right + 1
        || t.box.top < frame.top - 1 || t.box.bottom > frame.bottom + 1).map((t) => t.words),
      overlapping: texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => overlap(a.box, b.box))
        .map((b) => a.words + ' / ' + b.words)),
    };
  });
  return {
    charts,
    headings: [...document.querySelectorAll('h1, h2')].map((h) => h.textContent),
    wider: document.documentElement.scrollWidth > document.documentElement.clientWidth + 1,
    scripts: document.scripts.length,
    background: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    chart_ink: [...document.querySelectorAll('svg text')].slice(0, 1)
      .map((t) => getComputedStyle(t).fill),
  };
})()"""


@dataclass(frozen=True)
class Looked:
    """Result: `charts`, `headings`, and whether the page is `wider` than its window."""

    seen: dict[str, Any]
    complaints: list[str]
    height: float
    picture: Path


def look(page: Path, picture: Path, *, width: int = 1000, scheme: str = "light") -> Looked:
    """Load a file, inspect it, and save a screenshot of the whole page; `light` or `dark`."""
    assert browser.is_current(), "the browser is not installed: python -m tools.setup.browser"
    for attempt in range(1, _ATTEMPTS + 1):
        done = subprocess.run(
            [
                BIN / "node",
                browser.SOURCE / "look.mjs",
                browser.PROGRAM,
                picture.with_suffix(f".profile-{attempt}"),
                page.resolve().as_uri(),
                str(width),
                picture,
                _LOOK,
                scheme,
            ],
            env=browser.environment(),
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
        # A browser that is killed at its start has not seen the page.
        if "the browser ended with SIG" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return Looked(answer["value"], answer["complaints"], answer["height"], picture)
