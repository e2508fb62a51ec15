"""The report: one file that loads and runs nothing, and says everything without colour."""

from __future__ import annotations

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright_rehearsal.report import timeline_svg
from clusterwright_rehearsal.report.html import CSS, verdict_html
from clusterwright_rehearsal.verdict import Promise, Status, Verdict
from packages.rehearsal.tests.report import verdicts
from packages.rehearsal.tests.report.verdicts import boot_events, event

VOID = frozenset(("meta", "br"))
CASES = pytest.mark.parametrize(
    "verdict",
    [verdicts.BROKEN, verdicts.HELD, verdicts.NO_NODES, verdicts.hostile()],
    ids=["broken", "held", "no nodes", "hostile"],
)


class Page(HTMLParser):
    """Reads a page and holds it to being nested as it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self, *inside: str) -> str:
        return "".join(text for tag, text in self.texts if not inside or tag in inside)


@CASES
def test_page_is_well_formed_and_loads_no_resources(verdict: Verdict) -> None:
    page = Page(verdict_html(verdict))
    names = {name for name, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"}
    for name, attributes in page.tags:
        for key in attributes:
            assert not key.startswith("on"), f"{name} {key}"
            assert key not in ("src", "href", "xlink:href", "style", "srcdoc"), f"{name} {key}"
    (policy,) = [m["content"] for m in page.all("meta") if m.get("http-equiv")]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert "url(" not in CSS
    assert "@import" not in CSS


@CASES
def test_page_is_accessible(verdict: Verdict) -> None:
    page = Page(verdict_html(verdict))
    assert page.all("html")[0]["lang"] == "en"
    assert page.text("title").strip()
    headings = [int(name[1]) for name, _ in page.tags if re.fullmatch("h[1-6]", name)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(cell.get("scope") in ("col", "row", "rowgroup") for cell in page.all("th"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for _, attributes in page.tags:
        for name in (attributes.get("aria-labelledby") or "").split():
            assert name in ids
    for drawing in page.all("svg"):
        assert drawing["role"] == "img"


@CASES
def test_drawings_are_well_formed_and_within_bounds(verdict: Verdict) -> None:
    for text in (timeline_svg.whole(verdict), timeline_svg.coming_up(verdict)):
        if not text:
            continue
        root = ET.fromstring(text)
        width, height = (float(n) for n in root.attrib["viewBox"].split()[2:])
        for rect in root.iter("rect"):
            x, y, w, h = (float(rect.attrib[k]) for k in ("x", "y", "width", "height"))
            assert x >= 0, ET.tostring(rect)
            assert x + w <= width, ET.tostring(rect)
            assert 0 <= y <= y + h <= height, ET.tostring(rect)


def test_html_is_escaped() -> None:
    page = Page(verdict_html(verdicts.hostile()))
    said = page.text()
    assert said.count("<script>alert(1)</script>") >= 20
    for character in "\x1b\x00\u202e":
        assert character not in said


def test_each_status_has_a_word_and_a_symbol() -> None:
    said = " ".join(Page(verdict_html(verdicts.BROKEN)).text().split())
    assert "Promises failed." in said
    assert "Promises: 2 passed, 1 failed, 1 unknown." in said
    for words in ("✓ passed", "✗ failed", "? unknown"):
        assert words in said
    assert "after 150 s: job 3 is PENDING (Resources)" in said


def test_all_results_are_on_the_page() -> None:
    page = Page(verdict_html(verdicts.BROKEN))
    said = page.text()
    for entry in (*verdicts.BROKEN.not_covered, *verdicts.BROKEN.notes):
        assert entry in said
    for node in verdicts.BROKEN.nodes:
        cells = {text for _, text in page.texts}
        assert {node.name, node.host, node.instance_id, node.address} <= cells
    assert "scale: it is not for the scripted configuration" in said
    assert "lustre failed: mount it" in page.text("pre")
    assert "workers-2: /fsx is silent" in said


def test_scenarios_with_broken_promises_come_first() -> None:
    rows: tuple[tuple[str, Status], ...] = (
        ("a", "held"), ("b", "unknown"), ("c", "held"), ("c", "broken"), ("d", "held"),
    )  # fmt: skip
    promises = tuple(
        Promise(f"{name}.{number}", name, "it works", status)
        for number, (name, status) in enumerate(rows)
    )
    page = verdict_html(dataclasses.replace(verdicts.HELD, promises=promises))
    order = re.findall(r'scope="rowgroup">(\w)<', page)
    assert order == ["c", "b", "a", "d"]
    assert page.index('<span class="id">2</span>') < page.index('<span class="id">3</span>')


def test_empty_result_is_not_a_success() -> None:
    nothing = Verdict(config="x", cluster="x", suite="trixie", slurm=None)
    assert "No promise was checked" in Page(verdict_html(nothing)).text()


def test_large_clusters_are_truncated_with_a_note() -> None:
    many = [e for number in range(100) for e in boot_events(f"workers-{number + 1}")]
    verdict = dataclasses.replace(
        verdicts.BROKEN, timeline=(*many, event(60.0, "lost", "workers-100"))
    )
    assert timeline_svg.left_out(verdict) == 100 - timeline_svg.MOST_LANES
    drawn = timeline_svg.whole(verdict)
    assert "workers-100: lost" in drawn
    assert (
        f"{100 - timeline_svg.MOST_LANES} more nodes are listed only in the tables"
        in verdict_html(verdict)
    )


def test_page(snapshot: SnapshotAssertion) -> None:
    assert verdict_html(verdicts.BROKEN).replace(CSS, "") == snapshot
