"""Processes per node are as many as the job has accelerators."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from clusterwright.catalog import Known
from clusterwright.catalog.neuron_cores import CORES_OF_CHIP
from clusterwright.jobs import values
from clusterwright.jobs.job import COLLECTIVE_TESTS, argument, hides_arguments
from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Launcher, Results, Step, Word
from clusterwright.sizing.quantities import counted

_DEVICES = re.compile(r"\+{0,2}(?:--)?trainer\.devices=(\d{1,9})")
_PERF = re.compile(rf"(?:\S*/)?{COLLECTIVE_TESTS}")
_OF_RANK = {"-t": "--nthreads", "-g": "--ngpus"}
"""Options of nccl-tests (its README): their product is the GPUs of a rank."""
_PER_NODE = ("-N", "-npernode", "--npernode", "-ppn", "--ppn", "-perhost")
_RANKS = ("-n", "-np", "--np")
_HOSTS = ("-H", "-host", "--host", "-hostfile", "--hostfile", "-machinefile", "--machinefile")
_PER_RESOURCE = re.compile(r"ppr:(\d{1,9}):node")
_TRN1_WORKERS = (1, 2, 8, 16)
"""Processes with one NeuronCore each that collectives on Trn1 take, other than whole nodes."""
_OWN_GPUS = ("gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "gres", "tres-per-task")


class ProcessesPerNode(JobRule):
    id = "CW-J050"
    severity = "error"
    containers = True
    prevents = "processes that end with: invalid device ordinal, or duplicate GPU detected"
    source = (
        "PyTorch documentation, torchrun: one launcher per node, --nproc-per-node processes; "
        "Lightning, SLURMEnvironment.validate_settings; NVIDIA-NeMo/Speech#5819; "
        "NVIDIA/nccl-tests, README: -t and -g; huggingface/optimum-neuron#619 (the message of "
        "Neuron's runtime about unsupported topologies); AWS Neuron documentation, runtime "
        "configuration: NEURON_RT_NUM_CORES and NEURON_RT_VISIBLE_CORES"
    )

    def check(self, job: Job) -> Results:
        own = job.accelerators_per_node
        if not own:
            return
        requested = job.requested_accelerators
        given = requested[2] if requested is not None and requested[2] is not None else own
        given = min(given, own)
        if job.families == {"neuron"}:
            yield from _neuron(job, given)
        elif job.families == {"nvidia"}:
            yield from self._nvidia(job, given)

    def _nvidia(self, job: Job, given: int) -> Results:
        launchers = job.file.launchers
        for step, launcher in launchers:
            if launcher.name != "accelerate":
                yield from _processes(job, step, launcher, given)
        if len(launchers) == 1 and job.trains and job.exclusive and job.file.many_nodes:
            yield from _idle(job, *launchers[0], given)
        for step in job.file.steps:
            if step.launcher is None and step.runner == "srun":
                yield from _lightning(job, step)
            if step.launcher is None and step.runner == "srun":
                yield from _tests_under_srun(job, step, given)
        if len(job.file.steps) == 1 and job.exclusive:
            yield from _idle_under_mpi(job, job.file.steps[0], given)
        yield from _ray(job, given)


def _neuron(job: Job, given: int) -> Results:
    """A process has at least one core, of which a chip has several."""
    chips = set()
    for group in job.groups:
        instance = job.catalog.instance(group.instance_type)
        chip = instance.accelerator if instance is not None else None
        chips.add(CORES_OF_CHIP.get(chip.value) if isinstance(chip, Known) else None)
    cores = chips.pop() if len(chips) == 1 else None
    if cores is None:
        return
    for step, launcher in job.file.launchers:
        if launcher.name != "accelerate":
            yield from _processes(job, step, launcher, given * cores, "NeuronCores")
            number = launcher.number("nproc-per-node")
            if (
                cores == CORES_OF_CHIP["Trn1"]
                and number is not None
                and number < given * cores
                and _one_core_each(job)
            ):
                yield from _topology(launcher, number)


def _one_core_each(job: Job) -> bool:
    """Whether no variable gives a process more NeuronCores than one."""
    if job.file.variable("NEURON_RT_VISIBLE_CORES") is not None:
        return False
    stated = job.file.variable("NEURON_RT_NUM_CORES")
    return stated is None or (not stated.value.dynamic and stated.value.text == "1")


def _topology(launcher: Launcher, number: int) -> Results:
    if number not in _TRN1_WORKERS:
        yield Fail(
            message=f"collectives on Trn1 are for {', '.join(map(str, _TRN1_WORKERS))} or all 32 "
            f"NeuronCores of a node, and there are {number} processes",
            at=launcher.options["nproc-per-node"],
            severity="warning",
            requested=number,
            hint="--nproc-per-node=32",
        )


def _ray(job: Job, given: int) -> Results:
    """Ray gives processes as many GPUs as it is told to have."""
    for words in _ray_starts(job):
        word = argument(words, "--num-gpus")
        number = values.whole(word.text) if word is not None and not word.dynamic else None
        if number is None or number <= given:
            continue
        yield Fail(
            message=f"Ray is told of {number} GPUs, and the job has {given} on each node",
            at=word,
            severity="warning",
            requested=number,
            limit=given,
        )


def _ray_starts(job: Job) -> Iterator[tuple[Word, ...]]:
    """The words of each `ray start`, under srun or in the script."""
    found: dict[tuple[int, int], tuple[Word, ...]] = {}
    programs: list[Command] = [one for step in job.file.steps for one in step.programs]
    for command in (*programs, *job.file.commands):
        if command.name == "ray" and [word.text for word in command.words[1:2]] == ["start"]:
            found.setdefault((command.words[0].line, command.words[0].column), command.words)
    yield from found.values()


def _idle_under_mpi(job: Job, step: Step, given: int) -> Results:
    """The only program, one of nccl-tests, has fewer ranks than there are GPUs."""
    command, words = step.command, step.program
    if step.runner != "mpirun" or step.launcher is not None or not command.certain:
        return
    if command.background or job.file.variable("CUDA_VISIBLE_DEVICES"):
        return
    start = next((at for at, word in enumerate(words) if _PERF.fullmatch(word.text)), None)
    if start is None or any(word.text == ":" for word in words) or hides_arguments(job, words):
        return
    each = _gpus_of_rank(words[start + 1 :])
    ranks, nodes, place = _ranks(job, words[:start])
    if not ranks or not each or -(-ranks // (nodes or 1)) * each >= given:
        return
    used, limit = ranks * each, given * (nodes or 1)
    text = f"mpirun starts {counted(ranks, 'rank')}"
    use = f"which use{'s' if ranks == 1 else ''} {used} of"
    if nodes is not None:
        text += f", {use} the {limit} GPUs of {counted(nodes, 'node')}"
    elif used > 1:
        text += f" on each node, {use} its {limit} GPUs"
    else:
        return  # One GPU of each node, as the network is tested.
    yield Fail(
        message=f"{text}, and no other job can use the others",
        at=place,
        severity="warning",
        requested=used,
        limit=limit,
    )


def _tests_under_srun(job: Job, step: Step, given: int) -> Results:
    """Ranks of nccl-tests that need more GPUs than a node has."""
    tasks = job.tasks_per_node(step)
    bound = "gpus-per-task" in step.options or job.file.option("gpus-per-task") is not None
    if tasks is None or bound:
        return
    for one in step.programs:
        start = next((at for at, word in enumerate(one.words) if _PERF.fullmatch(word.text)), None)
        if start is None or not one.certain or hides_arguments(job, one.words):
            continue
        each = _gpus_of_rank(one.words[start + 1 :])
        if each and tasks * each > given:
            yield Fail(
                message=f"srun starts {counted(tasks, 'rank')} with {counted(each, 'GPU')} each "
                f"on a node: {tasks * each}, and the job has {given}",
                at=one.words[start],
                requested=tasks * each,
                limit=given,
                hint="one task per GPU with `-g 1`, or one task per node",
            )


def _gpus_of_rank(words: Sequence[Word]) -> int | None:
    """GPUs of a rank by the arguments of a program of nccl-tests; None if one is not known."""
    texts = [word.text for word in words]
    numbers = dict.fromkeys(_OF_RANK, "1")
    for text, following in itertools.pairwise([*texts, ""]):
        name, equals, value = text.partition("=")
        for short, long in _OF_RANK.items():
            # getopt_long(3) also takes `-g8` and `--ngpu 8`.
            if text.startswith(short):
                numbers[short] = text[2:] or following
            elif long.startswith(name) and name.startswith(long[:4]):
                numbers[short] = value if equals else following
    threads, gpus = (values.whole(number) for number in numbers.values())
    return None if threads is None or gpus is None else threads * gpus


def _ranks(job: Job, words: tuple[Word, ...]) -> tuple[int | None, int | None, Word | None]:
    """Ranks by mpirun's options, for how many nodes, and the option.

    No number of nodes if the ranks are those of each node; no ranks if the file does not say.
    """
    mapped = argument(words, "--map-by", "-map-by")
    match = _PER_RESOURCE.search(mapped.text) if mapped is not None else None
    if match is not None:
        return int(match.group(1)), None, mapped
    each = argument(words, *_PER_NODE)
    if each is not None:
        return (None if each.dynamic else values.whole(each.text)), None, each
    total = argument(words, *_RANKS)
    others = any(word.text.partition("=")[0] in _HOSTS for word in words)
    if total is None or total.dynamic or mapped is not None or others or not job.nodes:
        return None, None, None
    return values.whole(total.text), job.nodes, total


def _idle(job: Job, step: Step, launcher: Launcher, given: int) -> Results:
    """The only step starts fewer processes than the node has GPUs."""
    once = step.command.certain and launcher.certain and not step.command.background
    if not once or any(name in step.options or step.may_have(name) for name in _OWN_GPUS):
        return
    tasks = job.tasks_per_node(step) if step.runner == "srun" else 1
    name, number = "nproc-per-node", launcher.number("nproc-per-node")
    if launcher.name == "accelerate":
        # Its processes are those of all machines.
        name, machines = "num-processes", launcher.nodes
        total = launcher.number(name)
        number = -(-total // machines) if total is not None and machines else None
    number = number * tasks if number is not None and tasks is not None else None
    if number is None or number >= given or job.file.variable("CUDA_VISIBLE_DEVICES"):
        return
    each = f"--{name}={launcher.number(name)}"
    used = "is used" if number == 1 else "are used"
    yield Fail(
        message=f"{each}: {number} of the {given} GPUs of each {job.unit} {used}, and no other "
        "job can use the others",
        at=launcher.options[name],
        severity="warning",
        requested=number,
        limit=given,
    )


def _lightning(job: Job, step: Step) -> Results:
    """Lightning starts no processes under srun: it takes one task for each device."""
    tasks = job.tasks_per_node(step)
    certain = [word for one in step.programs if one.certain for word in one.words]
    for word in certain:
        match = _DEVICES.fullmatch(word.text)
        if match is None or tasks is None or int(match.group(1)) == tasks:
            continue
        yield Fail(
            message=f"Lightning takes one task for each device: {match.group(1)} devices, and "
            f"srun starts {tasks} per node",
            at=word,
            requested=int(match.group(1)),
            limit=tasks,
            hint=f"--ntasks-per-node={match.group(1)}",
        )


def _processes(
    job: Job, step: Step, launcher: Launcher, given: int, unit: str = "GPUs"
) -> Results:
    word = launcher.options.get("nproc-per-node")
    number = launcher.number("nproc-per-node")
    every = word is not None and word.text in ("gpu", "auto")
    if number is not None and number > given:
        yield Fail(
            message=f"{number} processes per {job.unit}, and the job has {given} {unit} on each",
            at=word,
            requested=number,
            limit=given,
        )
        return
    tasks = job.tasks_per_node(step) if step.runner == "srun" else 1
    each = given if every else number
    bound = "gpus-per-task" in step.options or job.file.option("gpus-per-task") is not None
    if tasks is None or tasks < 2 or each is None or bound:
        return
    if tasks * each > given:
        yield Fail(
            message=f"srun starts {tasks} launchers per {job.unit} with {each} processes each: "
            f"{tasks * each} processes on {given} {unit}",
            at=step.options.get("ntasks-per-node") or step.options.get("ntasks") or step,
            requested=tasks * each,
            limit=given,
            hint=f"srun --ntasks-per-node=1 with {launcher.name}, or {tasks} tasks without it",
        )
