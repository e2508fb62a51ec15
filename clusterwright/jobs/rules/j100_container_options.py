"""Options of containers have values that Pyxis takes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results, Step

_OPPOSITE = {
    "container-mount-home": "no-container-mount-home",
    "container-remap-root": "no-container-remap-root",
    "container-entrypoint": "no-container-entrypoint",
    "container-writable": "container-readonly",
}
_FLAGS = {*_OPPOSITE, *_OPPOSITE.values(), "container-entrypoint-log"}
_USES = ("auto", "create", "exec", "no_exec")
_NAMESPACES = ("net", "ipc", "uts")
_SOURCES = ("tmpfs", "umount")
_FLAG_VALUE = re.compile(r"(?i)true|false|yes|no|on|off|[01]")
_CONTAINER = "container-"


class ContainerOptions(JobRule):
    id = "CW-J100"
    severity = "error"
    prevents = (
        "a step that Pyxis refuses: invalid argument; or a folder that enroot replaces by the "
        "image that it saves"
    )
    source = (
        "NVIDIA/pyxis 1075199 (2026-05-11), args.c; NVIDIA/pyxis#151: before that check a folder "
        "for --container-save lost its files; NVIDIA/pyxis#162 and #168"
    )

    def check(self, job: Job) -> Results:
        yield from _options(job, {option.name: option for option in job.file.options})
        for step in job.file.steps:
            if step.runner == "srun":
                yield from _options(job, step.options)
                yield from _value_of_a_flag(step)


def _options(job: Job, every: Mapping[str, Option]) -> Results:
    options = {name: option for name, option in every.items() if _CONTAINER in name}
    yield from _opposites(options)
    for name, option in options.items():
        value = option.value
        if name in _FLAGS or option.dynamic or re.search(r"[${`]", value):
            continue
        if not value:
            yield Fail(message=f"--{name} has no value", at=option)
        elif name == "container-save" and value.rpartition("/")[2] in ("", ".", ".."):
            yield Fail(
                message=f"--container-save={value} is a folder: Pyxis writes the image there",
                at=option,
                hint=f"--container-save={value.rstrip('.')}NAME.sqsh",
            )
        elif name == "container-mounts":
            yield from _mounts(job, option)
        elif name == "container-name":
            use = value.partition(":")[2]
            if value.startswith(":") or (use and use not in _USES):
                yield Fail(
                    message=f"--container-name={value}: Pyxis takes NAME, or NAME:USE",
                    at=option,
                    hint=f"USE is one of {', '.join(_USES)}",
                )
        elif name == "container-unshare":
            for one in value.split(","):
                if one not in _NAMESPACES:
                    yield Fail(
                        message=f"--container-unshare: Pyxis has no namespace {one or '(empty)'}",
                        at=option,
                        hint=f"one of {', '.join(_NAMESPACES)}",
                    )
        elif name == "container-env" and "" in value.split(","):
            yield Fail(message=f"--container-env={value} has an empty name", at=option)


def _mounts(job: Job, option: Option) -> Results:
    """`SOURCE:TARGET[:FLAGS]`, several with `,` between them; flags have `+` between them."""
    for mount in option.value.split(","):
        source, colon, rest = mount.partition(":")
        target = rest.partition(":")[0] if colon else source
        if not _path(job, option, mount) and source not in _SOURCES:
            yield Fail(
                message=(
                    f"--container-mounts: {source} is not the source of a mount"
                    if source
                    else "--container-mounts: a mount has no source"
                )
                + ": Pyxis takes a path that begins with / or ., tmpfs or umount",
                at=option,
                hint=_in_full(source)
                or (
                    "flags have `+` between them: SOURCE:TARGET:ro+rprivate"
                    if any(one.count(":") > 1 for one in option.value.split(","))
                    else "SOURCE:TARGET,SOURCE:TARGET"
                ),
            )
        elif colon and not _path(job, option, rest):
            yield Fail(
                message=(
                    f"--container-mounts: {target} is not the target of a mount"
                    if target
                    else "--container-mounts: a mount has no target"
                )
                + ": Pyxis takes a path that begins with / or .",
                at=option,
                hint=_in_full(target) or "SOURCE:TARGET,SOURCE:TARGET",
            )


def _path(job: Job, option: Option, text: str) -> bool:
    """Whether a text begins with a path, also one that a shell may make of `~`.

    Bash replaces `~` at the beginning of a word and in assignments (bash(1), Tilde Expansion), so
    neither in `--container-mounts=~/data` nor in a line with #SBATCH, which no shell reads.
    """
    if not text.startswith("~"):
        return text.startswith(("/", "."))
    lines = job.file.lines
    line = lines[option.line - 1] if 0 < option.line <= len(lines) else ""
    before, found, _ = line.partition(text)
    return not found or (option not in job.file.options and before[-1:].isspace())


def _in_full(path: str) -> str | None:
    """The hint for `~`, which nothing replaces."""
    return f"the path in full: nothing replaces `~` in {path}" if path[:1] == "~" else None


def _opposites(options: Mapping[str, Option]) -> Results:
    for one, other in _OPPOSITE.items():
        if one in options and other in options:
            yield Fail(message=f"--{one} and --{other} exclude each other", at=options[other])


def _value_of_a_flag(step: Step) -> Results:
    """The word after an option without a value is the program: `--container-writable true CMD`."""
    if not step.options or len(step.program) < 2:
        return
    last = [*step.options][-1]
    first = step.program[0]
    if last in _FLAGS and not first.dynamic and _FLAG_VALUE.fullmatch(first.text):
        yield Fail(
            message=f"--{last} has no value: srun takes `{first.text}` for the program",
            at=first,
            hint=f"--{last} alone",
        )
