"""Settings of DeepSpeed have values that it takes, and batch sizes that agree."""

from __future__ import annotations

from collections.abc import Mapping

from clusterwright.jobs.forms import deepspeed_settings
from clusterwright.jobs.rule import Fail, Job, JobRule, Launcher, Results, Word
from clusterwright.jobs.values import whole

_DEVICES = ("none", "cpu", "nvme")
_CHOICES = {
    "zero_optimization.stage": ("0", "1", "2", "3"),
    "zero_optimization.offload_optimizer.device": _DEVICES,
    "zero_optimization.offload_param.device": _DEVICES,
}
_BATCH = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")


class DeepSpeedSettings(JobRule):
    id = "CW-J151"
    severity = "error"
    containers = True
    prevents = "processes that end with: check batch related parameters, or another assertion"
    source = (
        "deepspeedai/DeepSpeed, runtime/config.py (_batch_assertion; fp16 and bf16; elasticity), "
        "runtime/zero/config.py and offload_config.py: train_batch_size is "
        "train_micro_batch_size_per_gpu × gradient_accumulation_steps × the processes that data "
        "is divided among"
    )

    def check(self, job: Job) -> Results:
        for step, launcher in job.file.launchers:
            found = deepspeed_settings(job, step, launcher.script)
            for setting, allowed in _CHOICES.items():
                word = _known(found, setting)
                if word is not None and word.text not in allowed:
                    yield Fail(
                        message=f"{setting}: expected one of {', '.join(allowed)}, got "
                        f"{word.text[:60]}",
                        at=word,
                        hint=f"{setting.rpartition('.')[2]}: {word.text.lower()}"
                        if word.text.lower() in allowed
                        else None,
                    )
            yield from _precision(found)
            yield from _batch(found, _processes(launcher))


def _known(found: Mapping[str, Word], setting: str) -> Word | None:
    """A setting whose value is known: for `auto` the program chooses one."""
    word = found.get(setting)
    if word is None or word.dynamic or word.text in ("", "auto"):
        return None
    return word


def _on(found: Mapping[str, Word], setting: str) -> bool:
    word = _known(found, setting)
    return word is not None and word.text.lower() == "true"


def _precision(found: Mapping[str, Word]) -> Results:
    if _on(found, "fp16.enabled") and _on(found, "bf16.enabled"):
        yield Fail(
            message="fp16 and bf16 are both enabled: DeepSpeed takes one",
            at=found["bf16.enabled"],
        )


def _batch(found: Mapping[str, Word], processes: int | None) -> Results:
    if _on(found, "elasticity.enabled"):
        return  # DeepSpeed calculates all three.
    words = [_known(found, name) for name in _BATCH]
    total, micro, steps = (whole(word.text) if word is not None else None for word in words)
    if not total or not micro or not steps:
        return
    each = micro * steps
    if total % each:
        yield Fail(
            message=f"train_batch_size is {total}, no multiple of {micro} × {steps} = {each} "
            "samples of a process",
            at=words[0],
            requested=total,
            limit=each,
            hint="omit one of the three: DeepSpeed calculates it",
        )
    elif processes and total != each * processes:
        divided = total // each
        yield Fail(
            message=f"train_batch_size is {total}, and {processes} processes with {micro} × "
            f"{steps} samples have {each * processes}",
            at=words[0],
            # Fewer are right where tensor or pipeline parallelism divides the model.
            severity="warning" if processes % divided == 0 else None,
            requested=total,
            limit=each * processes,
            hint="omit one of the three: DeepSpeed calculates it",
        )


def _processes(launcher: Launcher) -> int | None:
    """All processes of torchrun or accelerate, where the file states them."""
    if launcher.name == "accelerate":
        return launcher.number("num-processes")
    each = launcher.number("nproc-per-node")
    nodes = 1 if launcher.alone else launcher.nodes
    return each * nodes if each and nodes and launcher.name == "torchrun" else None
