"""The documentation builds without warnings and loads without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.docs.navigation import SECTIONS, navigation
from tools.lint.files import ROOT

# What a browser fetches when it loads a page; links that a reader follows are allowed.
_FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^\s>]*"
    r"|<link\b[^>]*\brel=[\"']?(?:stylesheet|preconnect|preload|icon)[^>]*href=[\"']?(?:https?:)?//"
    r"|@import\s+url\(\s*[\"']?(?:https?:)?//"
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return folder


def test_site_builds_strictly_and_loads_no_external_resources(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert site / "index.html" in pages
    for page in [*pages, *site.rglob("*.css")]:
        found = _FETCHED.search(page.read_text())
        assert found is None, f"{page.relative_to(site)} fetches {found.group()}"


def test_every_page_is_in_the_navigation() -> None:
    docs = ROOT / "docs"
    listed = {
        page
        for entry in navigation(docs)
        for page in ([entry] if isinstance(entry, str) else next(iter(entry.values())))
    }
    written = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    assert listed == written, f"pages outside of {', '.join(SECTIONS)} are not shown"


def test_index_is_first_and_empty_sections_are_omitted(tmp_path: Path) -> None:
    for name in ("index.md", "how-to/b.md", "how-to/index.md", "how-to/a.md", "tutorial/one.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# Title\n")
    assert navigation(tmp_path) == [
        "index.md",
        {"Tutorial": ["tutorial/one.md"]},
        {"How-to guides": ["how-to/index.md", "how-to/a.md", "how-to/b.md"]},
    ]
