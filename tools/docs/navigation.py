"""An mkdocs hook that builds the navigation from the folders of docs/, in reading order."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

SECTIONS = {
    "tutorial": "Tutorial",
    "how-to": "How-to guides",
    "reference": "Reference",
    "explanations": "Explanations",
    "designs": "Designs",
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation before mkdocs reads it."""
    config.nav = navigation(Path(config.docs_dir))
    return config


def navigation(docs: Path) -> list[dict[str, list[str]] | str]:
    """`index.md`, then each section that has pages; the index of a section comes first."""
    found: list[dict[str, list[str]] | str] = ["index.md"]
    for folder, title in SECTIONS.items():
        pages = sorted(
            (page.relative_to(docs) for page in (docs / folder).rglob("*.md")),
            key=lambda page: (page.parent, page.name != "index.md", page.name),
        )
        if pages:
            found.append({title: [page.as_posix() for page in pages]})
    return found
