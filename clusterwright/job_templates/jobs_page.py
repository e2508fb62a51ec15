"""Writer of `docs/reference/jobs.md`: `python -m tools.docs jobs`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clusterwright.job_templates.facts import needed
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.settings import WORDS, Setting
from clusterwright.job_templates.template import FAMILIES, JobTemplate

_IMAGES = {"none": "not used", "optional": "optional", "required": "required"}


def page() -> str:
    """Return the page."""
    templates = all_templates()
    lines = [Path(__file__).with_suffix(".md").read_text(encoding="utf-8")]
    lines += ["| Job | | Needs | Slurm | Kubernetes |", "|---|---|---|---|---|"]
    for template in templates:
        lines.append(_row(template))
    lines += ["", "## Settings of every job", ""]
    common = {s.name: s for t in templates for s in t.common}
    lines += _table(tuple(common.values()))
    for family in FAMILIES:
        own = [template for template in templates if template.family == family]
        if own:
            lines += ["", f"## {family.capitalize() if family != 'mlperf' else 'MLPerf'}"]
        for template in own:
            lines += _section(template)
    lines += ["", "## Types of settings", "", "| Type | Values |", "|---|---|"]
    lines += [f"| {kind} | {words} |" for kind, words in WORDS.items()]
    return "\n".join(lines) + "\n"


def _row(template: JobTemplate) -> str:
    forms = [
        "refused" if template.unavailable else "yes" if form is not None else "no"
        for form in (template.slurm, template.kubernetes)
    ]
    return (
        f"| [{template.name}](#{template.name}) | {template.title} | {needed(template.runs_on)} | "
        f"{forms[0]} | {forms[1]} |"
    )


def _section(template: JobTemplate) -> Iterator[str]:
    yield from ("", f"### {template.name}", "", f"{template.title}. {template.about}", "")
    if template.unavailable is not None:
        yield f"Refused: {template.unavailable}."
        yield ""
    else:
        yield f"- Container image: {_IMAGES[template.image]}."
    if template.trains and template.unavailable is None:
        yield f"- Saves on the warning signal: {_signal(template)}."
    yield f"- Source: {template.source}."
    for text in template.untried:
        yield f"- Untried: {text}."
    if template.settings:
        yield ""
        yield from _table(template.settings)


def _signal(template: JobTemplate) -> str:
    if template.save_signal:
        return f"SIG{template.save_signal}"
    return (
        "no, the framework has no such signal: the step ends after its next regular checkpoint, "
        "so `save_minutes` has to be longer than the time between two"
    )


def _table(settings: tuple[Setting, ...]) -> list[str]:
    lines = ["| Setting | Type | Default | |", "|---|---|---|---|"]
    for setting in settings:
        about = setting.about.replace("|", "\\|")
        if setting.choices:
            about += f" One of {', '.join(setting.choices)}."
        default = "required" if setting.required else setting.default or ""
        lines.append(f"| `{setting.name}` | {setting.kind} | {default} | {about} |")
    return lines
