"""Training jobs with a time limit are warned before it, and save."""

from __future__ import annotations

import math
import re

from clusterwright.jobs.job import argument, hides_arguments
from clusterwright.jobs.options import Option
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.rules.j052_layout import program_words
from clusterwright.jobs.shell import Command
from clusterwright.jobs.traps import Trap, signal_name, traps

_PROGRAM = re.compile(r"(?:^|/)pretrain_\w+\.py$")
"""Of Megatron-LM."""
_TITAN = frozenset({"torchtitan.train", "torchtitan/train.py"})
"""torchtitan, which has no handler of any signal."""
_SIGNAL = re.compile(r"(?:--signal=|-s|-)((?:SIG)?[A-Z]{2}[A-Z]*\d?|\d+|\$.*)")
"""Options of kill, pkill and scancel with a signal."""
_GOES_ON = frozenset({"wait", "tail", "exit", "sleep", "sbatch", "fg"})
"""Commands of a handler that does more than to pass the signal on."""


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
            trapped = any(command.name == "trap" for command in job.file.commands)
            to_shell = option.value.upper().split(":")[0] in ("B", "RB", "BR")
            if to_shell and not trapped:
                yield Fail(
                    message=f"--signal={option.value} signals only the batch script, which has no "
                    "`trap`",
                    at=option,
                    hint="pass it on: `trap 'kill -USR1 $pid' USR1`, with srun in the background "
                    "and `wait` in a loop; or leave `B:` out",
                )
                return
            if to_shell:
                yield from _waits_once(job)
            yield from _other_signal(job, option, to_shell=to_shell)
            return
        minutes = job.file.minutes
        if job.trains and job.long and minutes is not None and not math.isinf(minutes):
            yield Fail(
                message="the time limit ends the job without a signal to save a checkpoint",
                at=job.file.option("time"),
                hint="add `#SBATCH --signal=USR1@300`, and save on the signal",
            )


def _waits_once(job: Job) -> Results:
    """The signal ends `wait`: the script goes on, ends, and its step with it."""
    behind = [step for step in job.file.steps if step.command.background]
    script = job.file.script
    waits = [command for command in script.commands[: script.aside] if command.name == "wait"]
    if not job.trains or not behind or len(waits) != 1 or not waits[0].certain:
        return
    later = script.following(waits[0])
    if any(one.name not in ("echo", "exit", "date", "printf") for one in later):
        return
    handlers = list(traps(job.file))
    if not handlers or any(_goes_on(one) for one in handlers):
        return
    yield Fail(
        message="the signal also ends this `wait`: the script ends, and its step with it, before "
        "the checkpoint is written",
        at=waits[0].words[0],
        hint="wait again: while kill -0 $pid 2>/dev/null; do wait $pid; done",
    )


def _goes_on(trap: Trap) -> bool:
    """Whether a handler waits itself, starts the job again or ends the script; or may do so."""
    for command in trap.commands:
        texts = {word.text for word in command.words}
        if command.name in _GOES_ON or (command.name == "scontrol" and "requeue" in texts):
            return True
        if command.name == "kill" and "-0" in texts:
            return True  # Of a loop that waits for the end of a process.
    return not trap.known


def _other_signal(job: Job, option: Option, *, to_shell: bool) -> Results:
    """Megatron-LM handles SIGTERM only, and only if it is asked to; torchtitan none."""
    signal = signal_name(option.value.rpartition(":")[2].split("@")[0])
    sent = _passed_on(job, signal) if to_shell else signal
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
            and not hides_arguments(job, words)
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


def _passed_on(job: Job, signal: str) -> str | None:
    """The signal that handlers of one send to the steps; None if it is not known to be one."""
    handlers = list(traps(job.file))
    handlers = [trap for trap in handlers if signal in trap.signals] or handlers
    found = {_sent(command) for trap in handlers for command in trap.commands if _sends(command)}
    found.discard("0")
    return found.pop() if len(found) == 1 else None


def _sends(command: Command) -> bool:
    texts = [word.text for word in command.words[1:]]
    if command.name == "scancel":
        return any(text.startswith(("-s", "--signal")) for text in texts)
    return command.name in ("kill", "pkill") and "-l" not in texts


def _sent(command: Command) -> str | None:
    """The signal of `kill`, by default SIGTERM; None if the file does not determine it."""
    words = command.words[1:]
    for index, word in enumerate(words):
        stated = None
        if word.text in ("-s", "-n", "--signal") and index + 1 < len(words):
            stated = words[index + 1].text
        elif match := _SIGNAL.fullmatch(word.text):
            stated = match.group(1)
        if stated is not None:
            return None if "$" in stated else _without_exit(stated)
    return "TERM"


def _without_exit(signal: str) -> str:
    """The name of a signal; 0 sends none."""
    return "0" if signal == "0" else signal_name(signal)
