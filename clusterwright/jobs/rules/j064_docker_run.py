"""Containers of Docker for training have accelerators, the network and memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clusterwright.jobs.job import OF_ARGUMENTS, argument, is_training
from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results, Word

_PROGRAMS = ("docker", "podman", "nerdctl")


class DockerRun(JobRule):
    id = "CW-J064"
    severity = "warning"
    prevents = "a container without GPUs, that no other node reaches, or that uses TCP for EFA"
    source = (
        "Docker documentation, docker container run: --gpus, --network, --device, --privileged, "
        "--ipc, --shm-size (64 MiB by default); Amazon EC2 user guide, Elastic Fabric Adapter: "
        "devices in /dev/infiniband"
    )

    def check(self, job: Job) -> Results:
        if not job.trains or "nvidia" not in job.families:
            return
        for command in _runs(job):
            words = command.words
            if not is_training(words) or _hides_options(words):
                continue
            missing = list(_missing(job, words))
            if missing:
                yield Fail(
                    message=f"the container has {', '.join(text for text, _ in missing)}",
                    at=words[0],
                    hint=f"{command.name} run " + " ".join(option for _, option in missing),
                )


def _hides_options(words: Sequence[Word]) -> bool:
    """Whether a variable or a command before the image may have options."""
    program = next(i for i, word in enumerate(words) if is_training(words[i : i + 1]))
    for index, word in enumerate(words[: max(0, program - 1)]):
        value = index > 0 and words[index - 1].text.startswith("-")
        if word.dynamic and word.text.startswith(("$", "`")) and not value:
            return True
    return any(word.dynamic and OF_ARGUMENTS.search(word.text) for word in words[:program])


def _runs(job: Job) -> Iterator[Command]:
    """The commands that start a container, under srun or in the script."""
    found: dict[tuple[int, int], Command] = {}
    programs = [one for step in job.file.steps for one in step.programs]
    for command in (*programs, *job.file.commands):
        texts = [word.text for word in command.words[1:3]]
        if command.name in _PROGRAMS and (texts[:1] == ["run"] or texts == ["container", "run"]):
            found.setdefault((command.words[0].line, command.words[0].column), command)
    yield from found.values()


def _missing(job: Job, words: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """What the container lacks, and the option that gives it."""
    texts = {word.text.partition("=")[0] for word in words}
    devices = {value for value in _values(words, "--device") if value}
    privileged = "--privileged" in texts
    runtime = argument(words, "--runtime")
    if not {"--gpus"} & texts and runtime is None and not any("nvidia" in d for d in devices):
        yield "no GPUs", "--gpus all"
    network = argument(words, "--network", "--net")
    many = job.file.many_nodes
    if many and network is None and not {"-p", "--publish", "-P", "--publish-all"} & texts:
        yield "a network of its own, which the other nodes do not reach", "--network host"
    infiniband = any(value.startswith("/dev/infiniband") for value in devices)
    if many and job.has_efa and not privileged and not infiniband:
        yield "no EFA devices", "--device /dev/infiniband"
    if not {"--ipc", "--shm-size"} & texts:
        yield "64 MiB of shared memory", "--ipc host"


def _values(words: Sequence[Word], name: str) -> Iterator[str]:
    """The values of an option that may be repeated."""
    for index, word in enumerate(words):
        stated, equals, value = word.text.partition("=")
        if stated == name:
            following = words[index + 1].text if index + 1 < len(words) else ""
            yield value if equals else following
