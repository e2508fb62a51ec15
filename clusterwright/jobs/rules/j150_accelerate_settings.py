"""Settings of Accelerate have values that it takes, and parallel sizes that agree."""

from __future__ import annotations

import math

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.forms import ACCELERATE, Stated, stated
from clusterwright.jobs.rule import Fail, Job, JobRule, Launcher, Results, Word
from clusterwright.jobs.settings_files import settings
from clusterwright.jobs.values import whole

_SIZES = ("dp_replicate", "dp_shard", "tp", "cp", "sp")
_DEVICES = ("none", "cpu", "nvme")
_MIXED_PRECISION = ("no", "fp16", "bf16", "fp8")
_CHOICES = {
    "deepspeed_config.zero_stage": ("0", "1", "2", "3"),
    "fsdp_config.fsdp_version": ("1", "2"),
    "parallelism_config.parallelism_config_cp_backend": ("torch",),
    "parallelism_config.parallelism_config_sp_backend": ("deepspeed",),
}
"""Settings with a closed list of values, which are compared as they are written."""
_EITHER_CASE = {
    "deepspeed_config.offload_optimizer_device": _DEVICES,
    "deepspeed_config.offload_param_device": _DEVICES,
    "mixed_precision": _MIXED_PRECISION,
    "fsdp_config.fsdp_auto_wrap_policy": (
        *("TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", "NO_WRAP"),
    ),
    "fsdp_config.fsdp_backward_prefetch": ("BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"),
    "fsdp_config.fsdp_state_dict_type": (
        *("FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"),
    ),
}
"""Settings whose case Accelerate changes before it compares them."""
_OF_TYPES = (
    *("NO", "MULTI_CPU", "MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_SDAA", "MULTI_MUSA"),
    *("MULTI_XPU", "MULTI_HPU", "MULTI_NEURON", "DEEPSPEED", "FSDP", "XLA", "TPU", "MEGATRON_LM"),
)
"""`distributed_type`; TPU is the name of XLA in older versions."""

_KEY_NAMES = """
command_file commands compute_environment debug deepspeed_config distributed_type downcast_bf16
dynamo_backend dynamo_config enable_cpu_affinity fp16 fp8_config fsdp_config gpu_ids
ipex_config machine_rank main_process_ip main_process_port main_training_function
megatron_lm_config mixed_precision mpirun_config num_machines num_processes parallelism_config
rdzv_backend same_network tp_config tpu_env tpu_name tpu_use_cluster tpu_use_sudo tpu_vm tpu_zone
use_cpu
"""
_KEYS = frozenset(_KEY_NAMES.split())
"""Keys of a file of settings: commands/config/config_args.py, ClusterConfig and process_config, of
all releases up to v1.14.0."""
_SECTION = "_config"
"""How the names of sections end, which releases add."""
_ONE_OF = ("cpu", "multi-gpu", "tpu", "use-deepspeed", "use-fsdp")
"""Options of which `_validate_launch_command` takes one."""


class AccelerateSettings(JobRule):
    id = "CW-J150"
    severity = "error"
    containers = True
    prevents = "processes that end with an exception after the nodes have started"
    source = (
        "huggingface/accelerate 16cb6eb8 (2026-07-24): parallelism_config.py, utils/constants.py, "
        "utils/dataclasses.py, commands/launch.py, utils/launch.py, and "
        "commands/config/config_args.py of v0.2.0 to v1.14.0; deepspeedai/DeepSpeed, "
        "runtime/zero/offload_config.py; huggingface/accelerate#3798"
    )

    def check(self, job: Job) -> Results:
        for step, launcher in job.file.launchers:
            found = stated(job, step, ()) if launcher.name == "accelerate" else None
            if found is None or found.forms is not ACCELERATE:
                continue
            yield from _exclusive(launcher)
            yield from _unknown(job, launcher)
            yield from _choices(found, launcher)
            sizes = {name: _size(found, f"parallelism_config_{name}_size") for name in _SIZES}
            if any(word is not None for word in sizes.values()) and _in_use(found):
                yield from _parallel(found, sizes)


def _exclusive(launcher: Launcher) -> Results:
    given = [name for name in _ONE_OF if name in launcher.options]
    if len(given) > 1:
        yield Fail(
            message=f"accelerate takes one of {', '.join(f'--{name}' for name in given)}",
            at=launcher.options[given[1]],
        )
    parallel = launcher.options.get("use-parallelism-config")
    if parallel is not None and "use-fsdp" not in launcher.options:
        yield Fail(
            message="--use_parallelism_config needs --use_fsdp and --fsdp_version=2",
            at=parallel,
        )


def _unknown(job: Job, launcher: Launcher) -> Results:
    """Keys of the file that no release of Accelerate takes."""
    place = launcher.options.get("config-file")
    inside = settings(job, place.text) if place is not None and not place.dynamic else None
    if place is None or inside is None or inside.get("compute_environment") == "AMAZON_SAGEMAKER":
        return
    for key in dict.fromkeys(name.partition(".")[0] for name in inside):
        near = did_you_mean(key, _KEYS)
        if key not in _KEYS:
            yield Fail(
                message=f"{place.text} has the key {key}, which Accelerate does not know",
                at=place,
                # A section, or a key without a similar one, may be of a later release.
                severity="error" if near and not key.endswith(_SECTION) else "warning",
                requested=key,
                hint=near,
            )


def _word(found: Stated, setting: str) -> Word | None:
    """A setting of the command line or of the file of settings, if its value is known."""
    word = found.word((setting.rpartition(".")[2], setting))
    return word if word is not None and not word.dynamic and word.text else None


def _choices(found: Stated, launcher: Launcher) -> Results:
    precision = launcher.options.get("mixed-precision")
    # The command line is compared as it is written: argparse has a list of choices.
    if precision is not None and not precision.dynamic and precision.text not in _MIXED_PRECISION:
        yield _not_one_of("mixed_precision", precision, _MIXED_PRECISION)
    for setting, allowed in (*_CHOICES.items(), ("distributed_type", _OF_TYPES)):
        word = _word(found, setting)
        if word is not None and word.text not in allowed:
            yield _not_one_of(setting, word, allowed)
    for setting, allowed in _EITHER_CASE.items():
        word = _word(found, setting)
        if (
            word is None
            or word is precision
            or word.text.lower() in (one.lower() for one in allowed)
        ):
            continue
        # A number is a place in the list, or one of the enumeration of PyTorch.
        if not (setting.startswith("fsdp_") and word.text.isdigit()):
            yield _not_one_of(setting, word, allowed)


def _not_one_of(setting: str, word: Word, allowed: tuple[str, ...]) -> Fail:
    near = [one for one in allowed if one.lower() == word.text.lower()]
    # YAML reads a plain `no` as false.
    name = "'no'" if word.text == "False" and "no" in allowed else (near or [""])[0]
    return Fail(
        message=f"{setting.rpartition('.')[2]}: expected one of {', '.join(allowed)}, got "
        f"{word.text[:60]}",
        at=word,
        severity="warning" if name == "'no'" else None,
        hint=f"{setting.rpartition('.')[2]}: {name}" if name else None,
    )


def _size(found: Stated, name: str) -> Word | None:
    return _word(found, f"parallelism_config.{name}")


def _in_use(found: Stated) -> bool:
    """Whether Accelerate reads the sizes: a file has them, or the option asks for them."""
    return "use_parallelism_config" in found.values or any(
        name.startswith("parallelism_config.") for name in found.values
    )


def _parallel(found: Stated, sizes: dict[str, Word | None]) -> Results:
    at = next(word for word in sizes.values() if word is not None)
    known = {n: 1 if word is None else whole(word.text) for n, word in sizes.items()}
    for name, size in known.items():
        if size == 0:
            yield Fail(message=f"{name}_size is at least 1, and 1 for none", at=sizes[name] or at)
    if any(not size for size in known.values()):
        return
    each = {name: size or 1 for name, size in known.items()}
    if each["cp"] > 1 and each["sp"] > 1:
        yield Fail(
            message=f"cp_size={each['cp']} and sp_size={each['sp']}: context and sequence "
            "parallelism exclude each other",
            at=sizes["sp"] or at,
        )
        return
    if each["sp"] > 1:
        return  # DeepSpeed divides the processes itself.
    total, processes = math.prod(each.values()), _processes(found)
    if processes is not None and total > 1 and total != processes:
        text = " × ".join(str(size) for size in each.values() if size > 1)
        yield Fail(
            message=f"the parallel sizes are {text} = {total}, and there are {processes} "
            "processes",
            at=at,
            requested=total,
            limit=processes,
            hint="dp_replicate_size × dp_shard_size × tp_size × cp_size is the number of all "
            "processes",
        )
    elif total > 1 and each["dp_shard"] == each["cp"] == 1 and found.kind == "FSDP":
        yield Fail(
            message="FSDP has no processes to divide the model among: dp_shard_size × cp_size "
            "is 1",
            at=at,
            hint="dp_shard_size of 2 or more, or distributed_type: MULTI_GPU for tensor "
            "parallelism alone",
        )
    elif each["dp_replicate"] > 1 and each["dp_shard"] == 1 and each["tp"] * each["cp"] > 1:
        yield Fail(
            message="tensor and context parallelism do not go with dp_replicate_size="
            f"{each['dp_replicate']} and dp_shard_size=1",
            at=at,
            hint="dp_shard_size instead of dp_replicate_size",
        )


def _processes(found: Stated) -> int | None:
    """All processes: each machine starts the same whole number of them."""
    number, machines = _word(found, "num_processes"), _word(found, "num_machines")
    processes = whole(number.text) if number is not None else None
    others = 1 if machines is None else whole(machines.text)
    if "num_machines" in found.values and machines is None:
        return None
    return processes // others * others if processes and others else None
