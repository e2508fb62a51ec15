"""Launchers have the options that they are given, before the program, and values that agree."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.launchers import FAMILIES, LAUNCHERS, Options
from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Launcher, Results, Step, Word
from clusterwright.jobs.settings_files import written

_VALUES = re.compile(r"(?i)true|false|yes|no|none|[01]")
_HOST = re.compile(r"(\S+)\s+slots=(\d+)")
_COMMANDS = """
: conda date echo env export hostname ls mkdir ml module nvidia-smi printf pwd set shopt sleep trap
true ulimit unset wait which
"""
_WRITE_NOTHING = frozenset(_COMMANDS.split())
"""Commands that write no file of hosts unless their output is redirected."""
_SETTINGS = re.compile(r"(?:.*/)?(?:activate|conda\.sh|profile|\.bashrc|\.bash_profile)")
"""Files of `source` that only set variables."""


class LauncherOptions(JobRule):
    id = "CW-J062"
    severity = "error"
    containers = True
    prevents = (
        "a launcher that refuses its options, takes a value for the program, or never gets one"
    )
    source = (
        "argument parsers of torchrun, accelerate launch and deepspeed; Accelerate, "
        "utils/launch.py: num_processes // num_machines; huggingface/accelerate#2240 "
        "(--same-network has no value), deepspeedai/DeepSpeed#662 and #3624, "
        "deepspeedai/DeepSpeedExamples#575, "
        "huggingface/open-r1#353"
    )

    def check(self, job: Job) -> Results:
        for step, launcher in job.file.launchers:
            table = LAUNCHERS.get(launcher.name)
            if table is None:
                continue
            yield from _unknown(launcher, table)
            yield from _given_to_the_program(launcher, table)
            if launcher.name == "accelerate":
                yield from _processes(launcher)
            elif launcher.name == "deepspeed":
                yield from _hosts(job, step, launcher)


def _unknown(launcher: Launcher, table: Options) -> Results:
    known = table.flags | table.valued
    for name, word in launcher.options.items():
        families = FAMILIES.get(launcher.name, ())
        if table.knows(name) or name.startswith(families) or not re.fullmatch(r"[\w-]+", name):
            continue
        near = did_you_mean(name, known)
        yield Fail(
            message=f"{launcher.name} has no option --{name}",
            at=word,
            # Without a similar name, it may be an option of another version.
            severity="error" if near else "warning",
            hint=near.replace("`", "`--", 1) if near else None,
        )


def _given_to_the_program(launcher: Launcher, table: Options) -> Results:
    script = launcher.script
    if not script:
        return
    flag = next((n for n in launcher.options if n in table.flags and _before(launcher, n)), None)
    if flag is not None and _VALUES.fullmatch(script[0].text) and not script[0].dynamic:
        yield Fail(
            message=f"--{flag} has no value: {launcher.name} takes `{script[0].text}` for the "
            "program",
            at=script[0],
            hint=f"--{flag} alone",
        )
        return
    if script[0].dynamic:
        return
    for word in script[1:]:
        name = word.text.partition("=")[0]
        plain = name.lstrip("-").replace("_", "-")
        if name.startswith("--") and plain in table.own and plain not in launcher.options:
            yield Fail(
                message=f"{launcher.name} does not read {name}, because it stands after the "
                f"program {script[0].text[:60]}",
                at=word,
                severity="warning",
                hint=f"before {script[0].text[:60]}",
            )


def _before(launcher: Launcher, flag: str) -> bool:
    """Whether the flag is the last option before the program."""
    return [*launcher.options][-1] == flag


def _processes(launcher: Launcher) -> Results:
    processes, machines = launcher.number("num-processes"), launcher.number("num-machines")
    if processes and machines and processes % machines:
        each = processes // machines
        yield Fail(
            message=f"--num-processes={processes} of all {machines} machines: each starts {each}, "
            f"{each * machines} in all",
            at=launcher.options["num-processes"],
            severity="error" if each == 0 else "warning",
            requested=processes,
            limit=each * machines,
            hint="the processes of all machines together",
        )


def _hosts(job: Job, step: Step, launcher: Launcher) -> Results:
    word = launcher.options.get("hostfile") or launcher.options.get("H")
    if word is None:
        if step.runner == "" and (job.nodes or 1) > 1 and not _meets(launcher):
            yield Fail(
                message="deepspeed has no --hostfile: it trains on the first of "
                f"{job.nodes} nodes only",
                at=launcher.word,
                severity="warning",
                hint="--hostfile FILE with a line `HOST slots=NUMBER` for each node",
            )
        return
    text = None if word.dynamic else written(job, word.text) or job.beside(word.text)
    if text is None and _absent(job, step, launcher, word):
        yield Fail(
            message=f"{word.text} is neither beside the job file nor written by it: without its "
            "file of hosts deepspeed trains on the first node only",
            at=word,
            severity="warning",
            hint=f"write it before: a line `HOST slots=NUMBER` for each node, > {word.text}",
        )
    hosts: dict[str, int] = {}
    for line in (text or "").splitlines():
        found = _HOST.match(line.strip())
        if found is not None:
            hosts[found.group(1)] = int(found.group(2))
        elif line.strip() and not line.strip().startswith("#") and "$" not in line:
            yield Fail(
                message=f"deepspeed reads no host from the line `{line.strip()[:60]}` of "
                f"{word.text}",
                at=word,
                hint="HOST slots=NUMBER",
            )
    for name in ("include", "i", "exclude", "e"):
        chosen = launcher.options.get(name)
        if hosts and chosen is not None and not chosen.dynamic:
            yield from _chosen(chosen, hosts)


def _absent(job: Job, step: Step, launcher: Launcher, word: Word) -> bool:
    """Whether surely nothing writes a relative file of hosts in the script of several nodes."""
    if word.dynamic or word.text.startswith(("/", "~")) or (job.nodes or 1) < 2:
        return False
    name = word.text.rpartition("/")[2]
    named = sum(line.count(name) for line in job.file.lines)
    if job.unit != "node" or named != 1 or job.file.unread:
        return False
    direct = any(one is launcher.word for one in step.program)
    elsewhere = step.command.folder is not None or "chdir" in step.options
    return direct and not elsewhere and not _may_write(job, step)


def _may_write(job: Job, step: Step) -> bool:
    """Whether a command before a step may write a file, or change the folder."""
    script = job.file.script
    for command in script.commands:
        if command is step.command:
            break
        if not _writes_nothing(command):
            return True
    return any(one.output.target.dynamic for one in script.outputs)


def _writes_nothing(command: Command) -> bool:
    if command.words[0].dynamic or any(one.target.dynamic for one in command.outputs):
        return False
    if command.name in ("source", "."):
        return len(command.words) > 1 and bool(_SETTINGS.fullmatch(command.words[1].text))
    return command.name in _WRITE_NOTHING and (command.name != "env" or len(command.words) == 1)


def _chosen(word: Word, hosts: Mapping[str, int]) -> Results:
    """Hosts and slots of `--include=HOST:0,1@HOST`."""
    for one in word.text.split("@"):
        host, _, slots = one.partition(":")
        if host not in hosts:
            if not any("$" in known for known in hosts):
                yield Fail(message=f"the host {host} is not in the file of hosts", at=word)
            continue
        numbers = [int(slot) for slot in slots.split(",") if slot.isdigit()]
        if numbers and max(numbers) >= hosts[host]:
            yield Fail(
                message=f"{host} has {hosts[host]} slots in the file of hosts, from 0, and none "
                f"with the number {max(numbers)}",
                at=word,
                requested=max(numbers),
                limit=hosts[host] - 1,
                hint="the file states all GPUs of the host; --include chooses among them",
            )


def _meets(launcher: Launcher) -> bool:
    """Whether it does not start other nodes' processes itself."""
    return any(name in launcher.options for name in ("no-ssh", "include", "i", "node-rank"))
