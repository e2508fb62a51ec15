"""Where launch lines and settings of frameworks say how a training's state is divided.

Sources: accelerate, commands/launch.py and utils/dataclasses.py; DeepSpeed documentation,
configuration JSON; Transformers, TrainingArguments; pytorch/torchtitan, config/job_config.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.jobs.rule import Job, Step, Word
from clusterwright.jobs.settings_files import settings

_HUB: Final = (
    "model_name_or_path",
    "pretrained_model_name_or_path",
    "model_name",
    "model_id",
)
_ADAPTERS: Final = r"(?i)lora|peft|load[-_]in|quant|freeze|frozen"


@dataclass(frozen=True)
class Forms:
    """The names of one launcher's or framework's arguments and settings, with `_` for `-`.

    Of several names the first that is stated counts. A setting of a file has its dotted name.

    Attributes
    ----------
    model:
        Names whose values, joined by a hyphen, name the model.
    stage:
        The ZeRO stage of DeepSpeed.
    sharding:
        The strategy of FSDP.
    replicas:
        Ranks with the same part of the state.
    kind:
        What a launcher's settings say: MULTI_GPU, FSDP, DEEPSPEED.
    flags:
        The same by an argument of its own: its name and the kind.
    host:
        Settings that keep a part of the state in the memory of the host, or on NVMe; the first
        are those of the optimizer alone.
    files:
        Arguments that name a file of settings.
    otherwise:
        Of words of the program after which the state is another.
    """

    model: tuple[tuple[str, ...], ...] = tuple((name,) for name in _HUB)
    optimizer: tuple[str, ...] = ("optim", "optimizer.type")
    dtype: tuple[str, ...] = ("torch_dtype", "dtype")
    stage: tuple[str, ...] = ("zero_optimization.stage",)
    sharding: tuple[str, ...] = ("fsdp",)
    replicas: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    flags: tuple[tuple[str, str], ...] = ()
    host_optimizer: tuple[str, ...] = ("zero_optimization.offload_optimizer.device",)
    host: tuple[str, ...] = ("zero_optimization.offload_param.device",)
    files: tuple[str, ...] = ("deepspeed", "deepspeed_config")
    otherwise: re.Pattern[str] = re.compile(
        _ADAPTERS
        + r"|8[-_]?bit|optim\w*bit|adafactor|galore"
        + r"|parallel|deepspeed|offload|--config|tp_size|\.ya?ml$|\.json$"
    )


TORCHRUN: Final = Forms()
DEEPSPEED: Final = Forms()
ACCELERATE: Final = Forms(
    stage=("zero_optimization.stage", "zero_stage", "deepspeed_config.zero_stage"),
    sharding=("fsdp", "fsdp_sharding_strategy", "fsdp_config.fsdp_sharding_strategy"),
    processes=("num_processes",),
    kind=("distributed_type",),
    flags=(
        ("use_deepspeed", "DEEPSPEED"),
        ("use_fsdp", "FSDP"),
        ("multi_gpu", "MULTI_GPU"),
    ),
    host_optimizer=(
        *Forms.host_optimizer,
        "offload_optimizer_device",
        "deepspeed_config.offload_optimizer_device",
    ),
    host=(
        *Forms.host,
        "offload_param_device",
        "deepspeed_config.offload_param_device",
        "fsdp_offload_params",
        "fsdp_config.fsdp_offload_params",
    ),
    files=(
        "config_file",
        "deepspeed_config_file",
        "deepspeed_config.deepspeed_config_file",
        *Forms.files,
    ),
)
TORCHTITAN: Final = Forms(
    model=(("model.name", "model.flavor"), ("config",)),
    optimizer=("optimizer.name",),
    dtype=("training.dtype",),
    stage=(),
    sharding=(),
    replicas=("parallelism.data_parallel_replicate_degree",),
    host_optimizer=(),
    host=("training.enable_cpu_offload",),
    files=("job.config_file",),
    otherwise=re.compile(_ADAPTERS),
)
_LAUNCHERS: Final = {
    "accelerate": ACCELERATE,
    "deepspeed": DEEPSPEED,
    "torchrun": TORCHRUN,
}
_OF_DEEPSPEED: Final = (
    "deepspeed",
    "deepspeed_config",
    "deepspeed_config_file",
    "deepspeed_config.deepspeed_config_file",
)
"""Arguments and settings that name the file of DeepSpeed's settings."""
_TITAN: Final = re.compile(r"(?:^|[./])torchtitan[./]")


@dataclass(frozen=True)
class Stated:
    """What a launch line and its files of settings say.

    Attributes
    ----------
    unread:
        Arguments whose files could not be read.
    """

    forms: Forms
    values: Mapping[str, Word]
    unread: tuple[str, ...]

    def word(self, names: Sequence[str]) -> Word | None:
        """The first value that is stated; `auto` of DeepSpeed states none."""
        for name in names:
            found = self.values.get(name)
            if found is not None and found.text != "auto":
                return found
        return None

    def text(self, names: Sequence[str]) -> str | None:
        """Its text; None if it is absent."""
        found = self.word(names)
        return found.text if found is not None else None

    def on(self, names: Sequence[str]) -> bool:
        """Whether one of the settings is stated and neither false nor none."""
        return any(
            name in self.values
            and self.values[name].text.lower() not in ("false", "none", "no", "off")
            for name in names
        )

    @property
    def kind(self) -> str | None:
        """MULTI_GPU, FSDP, DEEPSPEED of a launcher; None if it does not say."""
        for name, kind in self.forms.flags:
            if name in self.values and self.values[name].text.lower() != "false":
                return kind
        return self.text(self.forms.kind)


def stated(job: Job, step: Step, words: Sequence[Word]) -> Stated | None:
    """What a step states; None without a launcher whose forms are known."""
    launcher = step.launcher
    if launcher is None:
        return None
    forms = _LAUNCHERS.get(launcher.name)
    if any(_TITAN.search(word.text) for word in words[:2]):
        forms = TORCHTITAN
    if forms is None:
        return None
    found = {name.replace("-", "_"): word for name, word in launcher.options.items()}
    found |= _options(words)
    unread = []
    for name in forms.files:
        place = found.get(name)
        if place is None or not place.text:
            continue
        inside = _inside(job, place)
        if inside is None:
            unread.append(name)
            continue
        found = inside | found
    return Stated(forms, found, tuple(unread))


def deepspeed_settings(job: Job, step: Step, words: Sequence[Word]) -> Mapping[str, Word]:
    """The settings of the one file that a step gives DeepSpeed; empty if it cannot be read.

    Arguments of the program with the same names are its own: DeepSpeed does not read them.
    """
    found = stated(job, step, words)
    values = found.values if found is not None else {}
    places = [values[name] for name in _OF_DEEPSPEED if name in values and values[name].text]
    if len({place.text for place in places}) != 1:
        return {}
    return _inside(job, places[0]) or {}


def _inside(job: Job, place: Word) -> dict[str, Word] | None:
    """The settings of a file by dotted names, at the argument that names it."""
    inside = None if place.dynamic else settings(job, place.text)
    if inside is None:
        return None
    return {
        key: Word(text, place.line, place.column, place.length, "$" in text)
        for key, text in inside.items()
    }


def _options(words: Sequence[Word]) -> dict[str, Word]:
    """Values by name of `--name value` and `--name=value`; a flag has an empty text."""
    found = {}
    for index, word in enumerate(words):
        if not word.text.startswith("--"):
            continue
        name, equals, value = word.text[2:].partition("=")
        following = words[index + 1] if index + 1 < len(words) else None
        if equals:
            chosen = Word(value, word.line, word.column, word.length, word.dynamic)
        elif following is not None and not following.text.startswith("-"):
            chosen = following
        else:
            chosen = Word("", word.line, word.column, word.length)
        found[name.replace("-", "_")] = chosen
    return found
