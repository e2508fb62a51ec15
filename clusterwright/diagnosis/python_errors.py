"""What an exception of Python says: the kind of failure by its frames, its class and its words.

The innermost frames decide what was done when it failed: a checkpoint was read, a batch was
loaded, a service was called, a kernel was compiled. The words of the message come first only
where they name a resource, a network or a refusal, which is so wherever it happens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.commands import program_of
from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.tracebacks import Frame, frames_of
from clusterwright.diagnosis.wording import FSDP, kind_of, meaning_of

_LONGEST: Final = 200
_INNERMOST: Final = 8
_VARIABLE: Final = re.compile(r"^['\"]?(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)['\"]?$")
_WRITES: Final = re.compile(r"save|write|dump|export|upload|commit", re.IGNORECASE)
_EITHER: Final = re.compile(r"shard(?:ed)?_\w*(?:state|param|dict)|(?<!load_)state_dict$")
_COMMAND: Final = re.compile(r"Command ['\"\[]+(?P<command>[^'\"\],]{1,160})")
_COMMAND_TEXT: Final = re.compile(r"Command '(?P<text>[^\n]{1,400})' (?:returned|died|timed out)")
_SHELL: Final = re.compile(r"&&|\|\||[;|`]|\$\(|^(?:if|for|while|set|cd|export|source|\.) ")
"""What makes a command the text of a shell, of whose programs any may be the one that failed."""

_COMMAND_LIST: Final = re.compile(r"Command ['\"]?\[(?P<words>[^\]\n]{1,400})\]")
_STATUS: Final = re.compile(
    r"(?:exit status|died with <Signals\.|exit code|returncode)[ :=]*(?P<status>-?\w{1,12})"
)
_HOST: Final = re.compile(
    r"(?:host='|://|connect(?:ion)? to (?:host )?|hostname |server |"
    r"to )(?P<host>(?:[\w-]+\.)+[\w-]+|"
    r"[\w-]+:\d+)"
)
_RANK: Final = re.compile(
    r"invalid rank \d+|rank \d+ (?:is )?(?:>=|out of|not in|outside|must be (?:less|smaller))|"
    r"rank should be in the interval",
    re.IGNORECASE,
)
_RUN_OF_MODEL: Final = re.compile(
    r"torch/nn/modules/module\.py:_(?:wrapped_)?call_impl$|torch/autograd/__init__\.py:"
)
"""Frames in which PyTorch runs a model forward or backward."""

_KERNEL_CACHE: Final = re.compile(
    # The modules that write compiled kernels, and the folders in which they keep them.
    r"triton/runtime/cache\.py|torch/_inductor/(?:codecache|runtime/(?:cache|compile|triton)\w*)\.py|"
    r"[/.](?:triton|torch_extensions|nv/ComputeCache)\b[^'\"\s]*/|torchinductor_\w+/"
)
_DISTURBED: Final = re.compile(r"\[Errno (?:2|16|17|39)\]")
"""A file or folder that is gone, in use or there already."""

_ERRNO: Final = re.compile(
    r"\[Errno (?P<number>\d{1,3})\] (?P<text>[^:\n]{3,80})"
    r"(?:: (?P<path>[bu]?['\"][^'\"\n]{1,300}))?"
)


@dataclass(frozen=True)
class Place:
    """Kinds of code in which an exception may happen, by the file and function of frames."""

    id: str
    sentence: str
    pattern: re.Pattern[str]
    innermost: int = _INNERMOST


def _place(ident: str, sentence: str, words: str, innermost: int = _INNERMOST) -> Place:
    return Place(ident, sentence, re.compile(words, re.IGNORECASE), innermost)


PLACES: Final = (
    _place(
        "compilation",
        "a GPU kernel or an extension cannot be compiled or loaded",
        r"/triton/|torch/_inductor/|torch/_dynamo/|op_builder/|torch/utils/cpp_extension|/cupy/|"
        r"/numba/|/tilelang/|neuronx?cc|/nvrtc|ninja",
    ),
    _place(
        "checkpoint",
        "a checkpoint or a model's weights cannot be {done}",
        r"checkpoint|/ckpt|\bckpt|load_state_dict|save_state|state_dict|torch/serialization|"
        r"safetensors|"
        r"save_pretrained|from_pretrained|load_model|save_model|load_weights|save_weights|"
        r"load_optim|restore|resume|modeling_utils",
    ),
    _place(
        "tracking",
        "a tracker of experiments (wandb, MLflow) does not accept the run",
        r"/wandb/|/mlflow/|/comet_ml/|/neptune/|/clearml/|/swanlab/",
    ),
    _place(
        "hub",
        "a model or a data set cannot be had from its hub",
        r"huggingface_hub/|transformers/utils/hub|datasets/load\.py|modelscope/",
    ),
    _place(
        "storage",
        "S3 or another object store does not give or take the data",
        r"/s3fs/|/botocore/|/boto3/|/fsspec/|/gcsfs/|s3torchconnector|pyarrow/_fs|/aiobotocore/|"
        r"/smart_open/|/s3transfer/",
    ),
    _place(
        "data",
        "the data set cannot be read, or its code fails",
        r"torch/utils/data/|/datasets?/|dataset|data_?loader|dataload|/webdataset/|/streaming/|"
        r"/pyarrow/|collat|/pandas/|preprocess|indexed_dataset|sampler|/lhotse/|"
        r"/PIL/|decord|torchvision/io",
    ),
    _place(
        "launch",
        "the launcher cannot start the ranks",
        r"torch/distributed/(?:run|launch|launcher)|torch/distributed/elastic|deepspeed/launcher|"
        r"accelerate/commands/launch|/torchx/|horovod/run|/submitit/|/ray/_private|/ray/scripts",
    ),
    _place(
        "communication",
        "ranks cannot be connected or cannot communicate",
        r"torch/distributed/(?:rendezvous|distributed_c10d|device_mesh|c10d)|deepspeed/comm|"
        r"parallel_state|init_process_group|horovod/common|/mpi4py/|torch_xla/.*(?:pjrt|xrt|mesh)|"
        r"jax/_src/distributed|/zmq/",
    ),
    _place(
        "fsdp",
        FSDP,
        r"torch/distributed/(?:fsdp|_composable)/|/fully_shard",
    ),
    _place(
        "zero",
        "ZeRO cannot partition, gather or offload the parameters: a module is used in another way "
        "than DeepSpeed expects",
        r"deepspeed/runtime/(?:zero|swap_tensor)/",
    ),
    _place(
        "settings",
        "a setting, an argument or a configuration file of the program is not valid",
        r"argparse|/pydantic|omegaconf|/hydra/|/yaml/|ruamel|/toml|configparser|/jsonschema/|"
        r"/click/|"
        r"/fire/|/absl/flags|parse_args|argument|config|validate|/attrs/|dacite|settings|"
        r"post_init",
    ),
)

_GENERAL_PLACES: Final = frozenset({"settings", "communication", "launch", "fsdp", "zero"})
"""Of which the words of the message say more."""

_WAITED_FOR: Final = {
    "checkpoint": "a checkpoint or the storage that has it",
    "data": "a part of the data set or the storage that has it",
    "hub": "the hub of a model or data set",
    "storage": "S3 or another object store",
}
"""What a program waits for in a place."""

_LIBRARIES: Final = frozenset(
    {
        "accelerate",
        "apex",
        "axolotl",
        "bitsandbytes",
        "composer",
        "deepspeed",
        "diffusers",
        "flash_attn",
        "fairscale",
        "lightning",
        "lightning_fabric",
        "llmfoundry",
        "megatron",
        "nemo",
        "neuronx_distributed",
        "optimum",
        "peft",
        "pytorch_lightning",
        "sglang",
        "torch_neuronx",
        "torch_xla",
        "torchtitan",
        "torchtune",
        "transformer_engine",
        "transformers",
        "trl",
        "unsloth",
        "verl",
        "vllm",
        "xformers",
    }
)
_REPORTS: Final = (
    # Exceptions that only report that another process ended.
    (
        r"RayActorError|ActorDied\w*|ActorUnavailable\w*|OwnerDied\w*|WorkerCrashed\w*|"
        r"NodeDied\w*|"
        r"ObjectLost\w*|ReferenceCountingAssertion\w*|LocalRayletDied\w*",
        "Ray: a worker, an actor or a node that the program needs died first; its own log says "
        "why",
    ),
    (
        r"ProcessExited\w*|ProcessRaised\w*|BrokenProcessPool|ChildFailedError|WorkerLost\w*",
        "a process that the program started ended first; its own messages say why",
    ),
)
_CLASSES: Final = (
    # Of which kind an exception is by its class, where frames and words do not say it.
    (r"(?:Import|ModuleNotFound)Error$", "a library is missing or of another build or version"),
    (
        r"(?:Connection\w*|BrokenPipe|Socket|Network|Http\w*|URL|SSL|MaxRetry)Error$",
        "a connection to another host failed",
    ),
    (r"(?:Timeout\w*|\w*TimedOut|Timeout)$", "something did not answer or end in time"),
    (r"FileNotFoundError$", "a file or a folder that the program needs does not exist"),
    (r"PermissionError$", "the program may not read or write a file (permissions)"),
    (r"(?:MemoryError|OutOfMemory\w*)$", "the host's or the container's memory is used up"),
    (
        r"(?:JSONDecode|UnicodeDecode|EOF|Unpickling|BadZipFile|Parser?|Decode)\w*(?:Error)?$",
        "data or a file cannot be read: damaged, cut off or in another format",
    ),
    (
        r"(?:Validation|Config\w*|Argument|Usage|Option|Settings?)\w*Error$",
        "a setting, an argument or a configuration file of the program is not valid",
    ),
    (
        r"NotImplementedError$",
        "the installed version does not have what the program or its settings ask for",
    ),
)
_OWN: Final = re.compile(
    r"(?:Key|Index|Attribute|Type|Name|UnboundLocal|ZeroDivision|Recursion|Syntax|Indentation|"
    r"Value|Assertion|Runtime|Lookup|Overflow|NotImplemented)Error$|^Exception$"
)


def cause(values: Values) -> str | None:
    """The kind of failure, the exception and where it happened; None if nothing tells the kind."""
    said = _said(values)
    if _report(values, said) is not None:
        return None
    frames = frames_of(values)
    sentence = _sentence(values, said, frames)
    if sentence is None:
        return None
    return f"Python: {sentence}{_where(frames)}: {said}"


def fallback(values: Values) -> str | None:
    """That a program failed, and where: for an exception whose kind nothing tells."""
    said = _said(values)
    report = _report(values, said)
    if report is not None:
        return f"{report}: {said}"
    return f"a Python program failed{_where(frames_of(values))}: {said}"


def _report(values: Values, said: str) -> str | None:
    """What an exception says that only reports the end of another process."""
    names = f"{values.get('exception', '')} {values.get('inner', '')} {said.partition(': ')[0]}"
    return meaning_of(_REPORTS, names)


def _said(values: Values) -> str:
    exception = values.get("exception", "")
    if not exception:
        return values.get("reason", "")[:_LONGEST]
    short = exception if len(exception) <= 80 else exception.rpartition(".")[2]
    message = values.get("message", "")
    return f"{short}: {message}"[:_LONGEST] if message else short


def _where(frames: Sequence[Frame]) -> str:
    frame = _own_frame(frames)
    if frame is None:
        return ""
    function = (
        f", {frame.function}" if frame.function and not frame.function.startswith("<") else ""
    )
    return f" (in {frame.name}{function})"


def _own_frame(frames: Sequence[Frame]) -> Frame | None:
    return next((f for f in reversed(frames) if not f.is_standard), frames[-1] if frames else None)


def _sentence(values: Values, said: str, frames: Sequence[Frame]) -> str | None:
    message = values.get("message", "") if values.get("exception") else said
    module, _, name = (values.get("exception") or said.partition(":")[0]).rpartition(".")
    special = _special(name, message, frames)
    if special is not None:
        return special
    kind = kind_of(f"{name}: {message}")
    place = _place_of(frames) or _place_of_module(module)
    if kind is not None and kind.group != "program":
        host = _HOST.search(message) if kind.group == "network" else None
        if host is not None:
            return f"{kind.sentence} ({host.group('host')})"
        waited = _WAITED_FOR.get(place.id) if place is not None and kind.id == "time" else None
        return f"{kind.sentence}: {waited}" if waited else kind.sentence
    if place is not None and place.id not in _GENERAL_PLACES:
        return place.sentence.format(done=_done(frames))
    if kind is not None:
        return kind.sentence
    if place is not None:
        return place.sentence
    frame = _own_frame(frames)
    package = frame.package if frame is not None else ""
    if package in _LIBRARIES:
        return f"{package} does not accept this model, its settings or a version"
    return meaning_of(_CLASSES, name)


def _special(name: str, message: str, frames: Sequence[Frame]) -> str | None:
    """What only Python says in this way."""
    variable = _VARIABLE.match(message)
    if name == "KeyError" and variable is not None:
        return f"the environment variable {variable.group('name')} is not set"
    if name in ("CalledProcessError", "SubprocessError"):
        return _command(message)
    if name == "ValidationError":
        return "a setting, an argument or a configuration file of the program is not valid"
    if _RANK.search(message):
        return (
            "a rank is outside the number of ranks that the program counts: the number of nodes "
            "or of processes in its settings is not that of the launcher"
        )
    if _in_kernel_cache(message, frames):
        return (
            "processes disturb each other in the cache of compiled kernels, which is on a shared "
            "file system: give each node a folder of its own (TRITON_CACHE_DIR, "
            "TORCHINDUCTOR_CACHE_DIR)"
        )
    errno = _ERRNO.search(message)
    if errno is not None:
        path = (errno.group("path") or "").lstrip("bu").strip("'\"")
        on = f" ({path})" if path else ""
        if errno.group("number") == "2":
            return f"{_file_of(frames)} does not exist{on}"
        if errno.group("number") == "17":
            return (
                f"{_file_of(frames)} already exists{on}: another rank or an earlier run wrote it"
            )
        if errno.group("number") in ("1", "13"):
            return f"the program may not read or write a file{on}: its permissions or owner"
    return None


def _in_kernel_cache(message: str, frames: Sequence[Frame]) -> bool:
    """Whether another process changed a cache of compiled kernels while this one used it."""
    if not _DISTURBED.search(message):
        return False
    writer = next((f.file for f in reversed(frames) if not f.is_standard), "")
    return bool(_KERNEL_CACHE.search(writer) or _KERNEL_CACHE.search(message))


def _file_of(frames: Sequence[Frame]) -> str:
    place = _place_of(frames)
    names = {"checkpoint": "a file of a checkpoint or model", "data": "a file of the data set"}
    return names.get(place.id if place else "", "a file or a folder that the program needs")


def _command(message: str) -> str:
    command, status = _COMMAND.search(message), _STATUS.search(message)
    what = command.group("command").strip() if command else ""
    listed, text = _COMMAND_LIST.search(message), _COMMAND_TEXT.search(message)
    if listed is not None:
        program = program_of(re.findall(r"['\"]([^'\"\n]+)['\"]", listed["words"]))
    elif _SHELL.search(text["text"] if text is not None else what):
        program = ""
    else:
        program = program_of(what.split())
    number = status.group("status") if status else ""
    if program == "ssh" and number in ("", "255"):
        target = re.search(r"(?:\S+@)?((?:\d{1,3}\.){3}\d{1,3}|[\w-]+\.[\w.-]+)", what)
        on = f" {target.group(1)}" if target else " another node"
        return (
            f"ssh to{on} failed: the host does not answer, does not know the key, or its name or "
            f"port is wrong"
        )
    named = f"the command {program}" if program else "a command"
    if number in ("-9", "SIGKILL", "137"):
        return f"{named} was killed (SIGKILL), in most cases for its memory"
    end = f" with {number}" if number else ""
    return f"{named} that the program started failed{end}; its own output says why"


def _place_of(frames: Sequence[Frame]) -> Place | None:
    inner = frames[-_INNERMOST:]
    for frame in reversed(inner):
        text = f"{frame.file}:{frame.function}"
        for place in PLACES:
            if place.pattern.search(text):
                return place
        if _RUN_OF_MODEL.search(text):
            # What calls the model says nothing about what failed in it.
            return None
    return None


def _place_of_module(module: str) -> Place | None:
    """The place of the module that an exception is of, where its frames are only those of others,
    as after a process pool or a thread has passed it on. PyTorch's modules tell too little: its
    `checkpoint` is of activations too.
    """
    if not module or module.partition(".")[0] == "torch":
        return None
    path = f"/{module.replace('.', '/')}/"
    return next((p for p in PLACES if p.pattern.search(path)), None)


def _done(frames: Sequence[Frame]) -> str:
    text = " ".join(frame.function for frame in frames[-_INNERMOST:])
    if _WRITES.search(text):
        return "written"
    return "loaded or written" if _EITHER.search(text) else "loaded"
