"""The images: what each is built from, and which jobs run in it.

The steps are those of AWS's samples (aws-samples/awsome-distributed-training of 0162aacd,
micro-benchmarks/nccl-tests/nccl-tests.Dockerfile): the EFA installer without the kernel module,
NCCL and aws-ofi-nccl from source. PyTorch's wheels contain NCCL of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

CUDA: Final = "nvcr.io/nvidia/cuda, a tag that ends in devel-ubuntu24.04"


@dataclass(frozen=True)
class Stack:
    """An image.

    Attributes
    ----------
    base:
        The base image, in words: its digest is stated by the user.
    jobs:
        Names of the jobs that run in it.
    archives:
        Names in the list of artefacts, in the order in which they are installed.
    requirements:
        Python packages, a file of `requirements/` with their checksums; None without any.
    sources:
        Of these, packages that the index has no wheel of: they are built in the image.
    accelerators:
        The family that the image is for.
    """

    name: str
    title: str
    base: str
    jobs: tuple[str, ...]
    archives: tuple[str, ...]
    requirements: str | None = None
    sources: tuple[str, ...] = ()
    accelerators: Literal["nvidia", "neuron"] = "nvidia"


STACKS: Final = (
    Stack(
        name="nccl-tests",
        title="NCCL tests with OpenMPI and an SSH server",
        base=CUDA,
        jobs=("nccl-tests",),
        archives=("efa-installer", "nccl", "aws-ofi-nccl", "nccl-tests"),
    ),
    Stack(
        name="pytorch",
        title="PyTorch and torchtitan",
        base=CUDA,
        jobs=("convert-checkpoint", "fsdp2", "prepare-data", "torchtitan"),
        archives=("efa-installer", "aws-ofi-nccl"),
        requirements="pytorch",
    ),
    Stack(
        name="trl",
        title="Fine-tuning with TRL",
        base=CUDA,
        jobs=("lora", "qlora", "sft"),
        archives=("efa-installer", "aws-ofi-nccl"),
        requirements="trl",
    ),
    Stack(
        name="megatron",
        title="Megatron-LM and Megatron-Bridge on NVIDIA's image",
        base="nvcr.io/nvidia/nemo or nvcr.io/nvidia/pytorch, which contain the framework",
        jobs=("continued-pretraining", "layout-sweep", "megatron-bridge", "megatron-lm"),
        archives=("efa-installer", "aws-ofi-nccl"),
    ),
    Stack(
        name="vllm",
        title="Serving with vLLM",
        base=CUDA,
        jobs=("vllm",),
        archives=("efa-installer", "aws-ofi-nccl"),
        requirements="vllm",
    ),
    Stack(
        name="evaluation",
        title="lm-evaluation-harness, on one node",
        base=CUDA,
        jobs=("evaluate-checkpoint",),
        archives=(),
        requirements="evaluation",
        sources=("rouge-score", "sqlitedict", "word2number"),
    ),
    Stack(
        name="neuron",
        title="TorchTitan Neuron on AWS's image",
        base="an image of AWS Neuron for training with PyTorch, which contains the framework",
        jobs=("neuron",),
        archives=("efa-installer",),
        accelerators="neuron",
    ),
)


def stack_named(name: str) -> Stack | None:
    """The image with a name, or None."""
    return next((stack for stack in STACKS if stack.name == name), None)


def stack_of_job(job: str) -> Stack | None:
    """The image that a job runs in, or None."""
    return next((stack for stack in STACKS if job in stack.jobs), None)
