"""Supervised fine-tuning with TRL, started by `sft.sbatch`, `lora.sbatch` or `qlora.sbatch`.

It takes the arguments of `trl sft` and builds the same trainer. Beyond that it

- saves and ends after the step in which a process got SIGUSR1: Transformers' own
  `--enable_jit_checkpoint` looks at each process's signal alone, so that processes can save at
  different steps;
- marks a checkpoint as whole (`complete`) when every process has written its part, resumes from
  the newest such one, and removes those without the mark;
- writes the model itself only when the run is complete.

Exit codes: 92 if there are no data, 1 for other errors.

Requires TRL 1.16 and Transformers 5.24.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from pathlib import Path

signals = []


def on_signal(number, _frame):
    signals.append(number)


# Before PyTorch, whose import takes up to minutes on a shared file system: without a handler the
# signal ends the process.
signal.signal(signal.SIGUSR1, on_signal)

import torch
import torch.distributed as dist
from datasets import load_dataset
from transformers import TrainerCallback
from trl import SFTTrainer, get_peft_config, get_quantization_config
from trl.scripts.sft import make_parser

MARKER = "complete"
EXIT_DATA = 92


class SaveOnSignal(TrainerCallback):
    """Ends the run after a step in which any process has the signal, and marks checkpoints."""

    def __init__(self, device):
        self.device = device
        self.ended = False

    def on_step_end(self, _args, _state, control, **_more):
        flag = torch.tensor([float(bool(signals))], device=self.device)
        if dist.is_initialized():
            # The sum of the flags: if one process has the signal, all end after the same step.
            dist.all_reduce(flag)
        if flag.item():
            self.ended = True
            control.should_save = True
            control.should_training_stop = True
        return control

    def on_save(self, args, state, _control, **_more):
        wait_for_all()
        if state.is_world_process_zero:
            folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            (folder / MARKER).touch()
            print(f"saved {folder}", flush=True)
        wait_for_all()


def wait_for_all():
    if dist.is_initialized():
        dist.barrier()


def step_of(folder):
    found = re.fullmatch(r"checkpoint-([0-9]+)", folder.name)
    return int(found[1]) if found and folder.is_dir() else None


def newest_checkpoint(output):
    """The newest whole checkpoint, or None."""
    whole = [f for f in output.glob("checkpoint-*") if step_of(f) is not None]
    whole = [folder for folder in whole if (folder / MARKER).is_file()]
    return max(whole, key=step_of, default=None)


def remove_torn(output):
    """Remove checkpoints without the mark: Transformers counts them as checkpoints to keep."""
    for folder in output.glob("checkpoint-*"):
        if step_of(folder) is not None and not (folder / MARKER).is_file():
            print(f"removing {folder}, which is not whole", flush=True)
            shutil.rmtree(folder)


def data_files(path):
    """The reader of datasets and its files: JSON Lines, or Parquet."""
    folder = Path(path)
    for reader, patterns in (("json", ("*.jsonl", "*.json")), ("parquet", ("*.parquet",))):
        files = sorted(str(file) for pattern in patterns for file in folder.glob(pattern))
        if folder.is_file() and any(folder.match(pattern) for pattern in patterns):
            files = [str(folder)]
        if files:
            return reader, files
    print(f"{path} has no *.jsonl, *.json or *.parquet", flush=True)
    sys.exit(EXIT_DATA)


def main():
    script, training, model, _ = make_parser().parse_args_and_config(fail_with_unknown_args=False)
    reader, files = data_files(script.dataset_name)
    # As trl/scripts/sft.py.
    training.model_init_kwargs = {
        "revision": model.model_revision,
        "attn_implementation": model.attn_implementation,
        "dtype": model.dtype,
        **(training.model_init_kwargs or {}),
    }
    # The first process of a node fills the cache, the others read it.
    with training.main_process_first():
        data = load_dataset(reader, data_files={"train": files})["train"]
    saving = SaveOnSignal(training.device)
    trainer = SFTTrainer(
        model=model.model_name_or_path,
        args=training,
        train_dataset=data,
        quantization_config=get_quantization_config(model),
        peft_config=get_peft_config(model),
        callbacks=[saving],
    )
    output = Path(training.output_dir)
    if trainer.is_world_process_zero():
        remove_torn(output)
    wait_for_all()
    newest = newest_checkpoint(output)
    trainer.train(resume_from_checkpoint=str(newest) if newest is not None else None)
    if saving.ended:
        print("saved on the signal", flush=True)
        code = int(os.environ.get("EXIT_WHEN_SAVED", "0"))
    else:
        if trainer.is_fsdp_enabled:
            # Checkpoints are sharded; the model is written as Transformers reads it.
            trainer.accelerator.state.fsdp_plugin.set_state_dict_type("FULL_STATE_DICT")
        trainer.save_model(training.output_dir)
        code = 0
    wait_for_all()
    if dist.is_initialized():
        dist.destroy_process_group()
    sys.exit(code)


if __name__ == "__main__":
    main()
