"""Training jobs with a time limit are warned before it, and save."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from clusterwright.jobs.job import argument
from clusterwright.jobs.options import Option
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.rules.j052_layout import program_words
from clusterwright.jobs.shell import Command, read_script

_NUMBERS = {"10": "USR1", "12": "USR2", "15": "TERM", "2": "INT", "1": "HUP"}
_PROGRAM = re.compile(r"(?:^|/)pretrain_\w+\.py$")
"""Of Megatron-LM."""
_TITAN = frozenset({"torchtitan.train", "torchtitan/train.py"})
"""torchtitan, which has no handler of any signal."""
_GOES_ON = frozenset({"wait", "requeue", "exit", "sleep", "while", "until", "for"})
"""Words of a handler that does more than to pass the signal on."""


class WarningSignal(JobRule):
    id = "CW-J035"
    severity = "warning"
    prevents = "the work since the last checkpoint, which the time limit ends without warning"
    source = (
        "sbatch(1), --signal: with B: only the shell of the batch script gets it; GNU Bash manual "
        "(Signals): a trapped signal ends `wait`; the package megatron-core 0.19.2, "
        "training/config/training_config.py: exit_signal_handler, exit_signal; the package "
        "torchtitan 0.2.2, train.py"
    )

    def check(self, job: Job) -> Results:
        option = job.file.option("signal")
        if option is not None:
            traps = [command for command in job.file.commands if command.name == "trap"]
            to_shell = option.value.upper().split(":")[0] in ("B", "RB", "BR")
            if to_shell and not traps:
                yield Fail(
                    message=f"--signal={option.value} signals only the batch script, which has no "
                    "`trap`",
                    at=option,
                    hint="pass it on: `trap 'kill -USR1 $pid' USR1`, with srun in the background "
                    "and `wait` in a loop; or leave `B:` out",
                )
                return
            if to_shell:
                yield from _waits_once(job, traps)
            yield from _other_signal(job, option, to_shell=to_shell)
            return
        minutes = job.file.minutes
        if job.trains and job.long and minutes is not None and not math.isinf(minutes):
            yield Fail(
                message="the time limit ends the job without a signal to save a checkpoint",
                at=job.file.option("time"),
                hint="add `#SBATCH --signal=USR1@300`, and save on the signal",
            )


def _waits_once(job: Job, traps: list[Command]) -> Results:
    """The signal ends `wait`: the script goes on, ends, and its step with it."""
    behind = [step for step in job.file.steps if step.command.background]
    script = job.file.script
    waits = [command for command in script.commands[: script.aside] if command.name == "wait"]
    if not job.trains or not behind or len(waits) != 1 or not waits[0].certain:
        return
    later = script.following(waits[0])
    if any(one.name not in ("echo", "exit", "date", "printf") for one in later):
        return
    if any(_GOES_ON & set(_handler(job, trap)) for trap in traps):
        return
    yield Fail(
        message="the signal also ends this `wait`: the script ends, and its step with it, before "
        "the checkpoint is written",
        at=waits[0].words[0],
        hint="wait again: while kill -0 $pid 2>/dev/null; do wait $pid; done",
    )


def _handler(job: Job, trap: Command) -> Iterator[str]:
    """The words of a handler: a function of the script, or the text itself."""
    text = trap.words[1].text if len(trap.words) > 1 else ""
    yield from re.split(r"[\s;&|]+", text)
    for definition in job.file.script.functions.get(text, []):
        yield from (token.literal or "" for token in definition.body)


def _other_signal(job: Job, option: Option, *, to_shell: bool) -> Results:
    """Megatron-LM handles SIGTERM only, and only if it is asked to; torchtitan none."""
    sent = _passed_on(job) if to_shell else _name(option.value.rpartition(":")[2].split("@")[0])
    for step in job.file.steps:
        words = program_words(step)
        texts = {word.text for word in words}
        handles = "--exit-signal-handler" in texts
        if sent is None or argument(words, "--exit-signal") or (handles and sent == "TERM"):
            continue
        if handles:
            yield Fail(
                message=f"--exit-signal-handler of Megatron-LM saves on SIGTERM: SIG{sent} ends "
                "the processes without a checkpoint",
                at=option,
                hint="`kill -TERM` in the handler" if to_shell else "--signal=TERM@300",
            )
        elif any(text in _TITAN or text.endswith("/torchtitan/train.py") for text in texts):
            if not to_shell:
                yield Fail(
                    message=f"torchtitan handles no signal: SIG{sent} ends it unsaved",
                    at=option,
                    hint=f"--signal=B:{option.value}, and in the `trap` wait for the next regular "
                    "checkpoint before the step is ended",
                )
        elif (
            any(_PROGRAM.search(text) for text in texts)
            and argument(words, "--save", "--num-layers")
            and argument(words, "--exit-duration-in-mins") is None
            and "--deepspeed" not in texts
        ):
            yield Fail(
                message=f"without --exit-signal-handler SIG{sent} ends the processes of "
                "Megatron-LM without a checkpoint",
                at=option,
                hint="--exit-signal-handler, and SIGTERM as the signal",
            )


def _passed_on(job: Job) -> str | None:
    """The signal that the script sends to its steps; None if it is not one."""
    found = set()
    handlers = [
        one.words[1].text for one in job.file.commands if one.name == "trap" and one.words[1:]
    ]
    inner = [command for text in handlers for command in read_script(text, {}).commands]
    for command in (*job.file.commands, *inner):
        if command.name not in ("kill", "scancel"):
            continue
        texts = [word.text for word in command.words[1:]]
        for index, text in enumerate(texts):
            if text in ("-s", "--signal") and index + 1 < len(texts):
                found.add(_name(texts[index + 1]))
            elif match := re.fullmatch(r"(?:--signal=|-s|-)((?:SIG)?[A-Z]+\d?|\d+)", text):
                found.add(_name(match.group(1)))
    found.discard("0")
    return found.pop() if len(found) == 1 else None


def _name(signal: str) -> str:
    """A signal without `SIG`."""
    return _NUMBERS.get(signal, signal.upper().removeprefix("SIG"))
