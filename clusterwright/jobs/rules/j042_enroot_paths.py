"""`enroot import` unpacks on NVMe or Lustre."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase

from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results
from clusterwright.jobs.shell import joined

_VARIABLES = ("ENROOT_CACHE_PATH", "ENROOT_TEMP_PATH")
_COPIERS = frozenset({"mv", "cp", "rsync", "install"})
_BAD = {"home": "the home directories", "root": "the root disk"}


class EnrootPaths(JobRule):
    id = "CW-J042"
    severity = "warning"
    prevents = "an import that ends with: no space left on device, on the root disk"
    source = "awslabs/awsome-distributed-ai #427; NVIDIA/enroot, doc/configuration.md"

    def check(self, job: Job) -> Results:
        imports = [
            command
            for command in job.file.commands
            if any(
                word.text.rpartition("/")[2] == "enroot" and following.text == "import"
                for word, following in zip(command.words, command.words[1:], strict=False)
            )
        ]
        if not imports:
            return
        for command in imports:
            yield from _image(job, command)
        missing = []
        for name in _VARIABLES:
            variable = job.file.variable(name)
            if variable is None and name == "ENROOT_TEMP_PATH":
                variable = job.file.variable("TMPDIR")
            if variable is None:
                missing.append(name)
                continue
            kind = job.storage(variable.value.text)
            if kind in _BAD:
                yield Fail(
                    message=f"{variable.name}={variable.value.text} is on {_BAD[kind]}",
                    at=variable,
                    hint=_hint(job),
                )
        if missing:
            configured = any(group.scratch or group.ebs for group in job.groups)
            yield Fail(
                message=f"{' and '.join(missing)} not set: the image is unpacked where the node's "
                "enroot.conf says, and on other machines on the root disk"
                if configured
                else f"{' and '.join(missing)} not set: the image is unpacked on the root disk",
                at=imports[0],
                severity="info" if configured else None,
                hint=_hint(job),
            )


def _image(job: Job, command: Command) -> Results:
    """The file that an import writes: that of --output, else one in the working directory."""
    words = command.words
    start = next(index for index, word in enumerate(words) if word.text == "import")
    output = argument(words[start:], "-o", "--output")
    path = joined(command.folder, output.text if output is not None else "image.sqsh")
    kind = job.storage(path) if path is not None else "unknown"
    if path is None or kind not in _BAD:
        return
    named = output is not None
    if not any(_takes(job, one, path, named=named) for one in _later(job, command)):
        where = path if output is not None else posixpath.dirname(path)
        yield Fail(
            message=f"the image is written to {where}, which is on {_BAD[kind]}",
            at=output or words[start],
            hint=f"--output with a file on {job.shared_paths}",
        )


def _later(job: Job, command: Command) -> Iterator[Command]:
    at = (command.words[0].line, command.words[0].column)
    for one in job.file.commands:
        if (one.words[0].line, one.words[0].column) > at:
            yield one


def _takes(job: Job, command: Command, path: str, *, named: bool) -> bool:
    """Whether a command moves or copies the image to a disk that is not small.

    Without --output the image has a name of enroot's in the folder of `path`.
    """
    texts = [word.text for word in command.words]
    start = next((i for i, text in enumerate(texts) if text.rpartition("/")[2] in _COPIERS), None)
    if start is None or len(texts) < start + 3:
        return False
    stated = argument(command.words[start:], "-t", "--target-directory")
    target = stated.text if stated is not None else texts[-1]
    if job.storage(joined(command.folder, target) or target) in (*_BAD, "memory", "unmounted"):
        return False
    for text in texts[start + 1 : None if stated is not None else -1]:
        source = joined(command.folder, text)
        if source is None:
            continue
        same_folder = posixpath.dirname(source) == posixpath.dirname(path)
        if fnmatchcase(path, source) if named else same_folder and source.endswith(".sqsh"):
            return True
    return False


def _hint(job: Job) -> str:
    place = job.scratch_path or job.shared_paths
    return f"set {' and '.join(_VARIABLES)} to folders below {place}"
