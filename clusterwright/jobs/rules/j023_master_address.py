"""Processes on several nodes meet at an address that all of them reach."""

from __future__ import annotations

import re

from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import (
    Assignment,
    Fail,
    Job,
    JobRule,
    Launcher,
    Results,
    Step,
    Word,
)
from clusterwright.jobs.shell import shell_text

LOCAL = re.compile(r"(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1|\[::1\])(?::\d+)?")
_FIXED = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|ip(?:-\d{1,3}){4}(?:\.[\w.-]+)?)(?::\d+)?")
MEETING = ("rdzv-endpoint", "master-addr", "main-process-ip")
_ADDRESS = re.compile(
    r"(?:\[[0-9a-fA-F:.]+(?:%[\w.-]+)?\]|[0-9a-fA-F:]*::[0-9a-fA-F:]*(?:%[\w.-]+)?|[\w.-]+)"
    r"(?::\d+)?"
)
"""A host, perhaps with a port, or an IPv6 address with its zone: no user, no scheme, no path."""
_NOT_SET = re.compile(r"(?::\d*)?")
"""What an empty variable leaves: a wrapper, a file or the environment may set it."""
OWN_NAME = re.compile(
    r"(?:\$\(\s*|`\s*)(?:/bin/|/usr/bin/)?(?:hostname\b[^|;&)`]*|uname\s+-n)\s*[)`](?::\S*)?"
    r"|\$\{?(?:HOSTNAME|SLURMD_NODENAME)\}?(?::\S*)?"
)
"""What each node replaces by its own name or address."""
_RANDOM = re.compile(r"RANDOM\b|\bshuf\b|\$\$|\$\{\$\}|\bget_free_port|socket\(\)")
"""What each node replaces by another number."""
_PORTS = ("master-port", "main-process-port", "rdzv-endpoint")
_MEETING_AT_A_NODE = ("", "c10d", "static")
_HINT = 'the first node: MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)'


class MasterAddress(JobRule):
    id = "CW-J023"
    severity = "error"
    containers = True
    prevents = "a job that hangs until its timeout: each node waits for the others at itself"
    source = (
        "PyTorch documentation, torchrun (rendezvous, store_type); pytorch/pytorch#107021; "
        "huggingface/accelerate#1317"
    )

    def check(self, job: Job) -> Results:
        if job.nodes is None or job.nodes < 2 or job.has_roles:
            return
        yield from _ray(job)
        stated = False
        for step, launcher in job.file.launchers:
            if step.runner == "" or launcher.alone or job.step_nodes(step) == 1:
                stated = True  # CW-J051, or launchers that wait for no other
                if step.runner == "":
                    yield from _fixed(job, launcher)
                continue
            yield from _fixed(job, launcher)
            yield from _of_each_node(job, step, launcher)
            for name in MEETING:
                word = launcher.options.get(name)
                stated = stated or word is not None
                if word is not None and _malformed(word) and not _elsewhere(launcher, name):
                    yield _no_address(f"--{name}={word.text}", word)
                if word is not None and LOCAL.fullmatch(word.text):
                    yield Fail(
                        message=f"--{name}={word.text} on {job.nodes} nodes: each node is its own "
                        "master",
                        at=word,
                        hint=_HINT,
                    )
        address = job.file.variable("MASTER_ADDR")
        if address is not None and _malformed(address.value):
            yield _no_address(f"MASTER_ADDR={address.value.text}", address)
        if not stated and address is not None and LOCAL.fullmatch(address.value.text):
            yield Fail(
                message=f"MASTER_ADDR={address.value.text} on {job.nodes} nodes: each node is its "
                "own master",
                at=address,
                hint=_HINT,
            )
        elif not stated and address is not None and _chosen(job, address.value):
            yield _other(job, f"MASTER_ADDR={address.value.text}", address)


def _of_each_node(job: Job, step: Step, launcher: Launcher) -> Results:
    """An address or a port that each node finds out itself, in the text of `bash -c`."""
    text = shell_text(step.program)
    if text is None or text.dynamic or _backend(launcher) not in _MEETING_AT_A_NODE:
        return  # The batch script replaces it, or a part of it: once for all nodes.
    if launcher.nodes_word is None or launcher.nodes == 1:
        return  # Each launcher trains by itself.
    for names, expression, what in (
        (MEETING, OWN_NAME, "its own address"),
        (_PORTS, _RANDOM, "another port"),
    ):
        for name in names:
            word = launcher.options.get(name)
            if word is None or not word.dynamic or not expression.search(word.text):
                continue
            yield Fail(
                message=f"--{name}={word.text[:60]} is replaced on each of the {job.nodes} nodes, "
                f"by {what}: they do not meet",
                at=word,
                hint="set it in the batch script, before srun, and export it",
            )


def _ray(job: Job) -> Results:
    """Workers of Ray join the head at its address."""
    programs = [one for step in job.file.steps if step.runner for one in step.programs]
    for program in programs:
        if [word.text for word in program.words[:2]] != ["ray", "start"]:
            continue
        address = argument(program.words, "--address")
        if address is not None and LOCAL.fullmatch(address.text):
            yield Fail(
                message=f"ray start --address={address.text} on {job.nodes} nodes: a worker looks "
                "for the head on its own node",
                at=address,
                hint=_HINT,
            )


def _fixed(job: Job, launcher: Launcher) -> Results:
    """Addresses of one node in the file: etcd's is that of a server."""
    if _backend(launcher) not in _MEETING_AT_A_NODE:
        return
    for name in MEETING:
        word = launcher.options.get(name)
        if word is not None and _chosen(job, word):
            yield _other(job, f"--{name}={word.text}", word)


def _backend(launcher: Launcher) -> str:
    found = launcher.options.get("rdzv-backend")
    return found.text if found is not None else ""


def _elsewhere(launcher: Launcher, name: str) -> bool:
    """Whether the endpoint is a path (store_type=file), or of a backend with forms of its own."""
    backend, settings = _backend(launcher), launcher.options.get("rdzv-conf")
    known = backend in _MEETING_AT_A_NODE or backend.startswith("etcd")
    in_a_file = settings is not None and (settings.dynamic or "store_type=file" in settings.text)
    return name == "rdzv-endpoint" and (not known or in_a_file)


def _chosen(job: Job, word: Word) -> bool:
    """Whether a word is the address of one node, and Slurm chooses the nodes."""
    stated = job.file.option("nodelist") is not None
    return not stated and bool(_FIXED.fullmatch(word.text)) and not LOCAL.fullmatch(word.text)


def _malformed(word: Word) -> bool:
    """Whether a word that the file determines is no address of a host."""
    known = not word.dynamic and not _NOT_SET.fullmatch(word.text)
    return known and not _ADDRESS.fullmatch(word.text)


def _no_address(what: str, at: Word | Assignment) -> Fail:
    return Fail(
        message=f"{what} is no address: it has a user, a scheme or a path",
        at=at,
        hint=_HINT,
    )


def _other(job: Job, what: str, at: Word | Assignment) -> Fail:
    return Fail(
        message=f"{what}: Slurm chooses the {job.nodes} nodes at each start, and that address may "
        "be none of theirs",
        at=at,
        severity="warning",
        hint=_HINT,
    )
