"""Pre-training of a Llama-shaped model with PyTorch FSDP2, started by `fsdp2.sbatch`.

One process per accelerator, started by srun or torchrun. The data are files `*.bin` of 32-bit
little-endian tokens, as `prepare-data` writes them. The samples of a step depend only on the
number of samples before it, so that a run that resumes sees what an undisturbed run sees, with
another number of processes too. A checkpoint is written to `step-N.part`, and renamed when it is
whole; one whose files are shorter than its metadata say is renamed to `step-N.torn`. SIGUSR1
saves and ends; torchrun does not pass it on.

Exit codes: 92 if there are no tokens or they are not of this vocabulary, 1 for other errors.

Requires PyTorch 2.6 or newer.
"""

from __future__ import annotations

import argparse
import json
import math
import mmap
import os
import pickle
import shutil
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

signals = []


def on_signal(number, _frame):
    signals.append(number)


# Before PyTorch, whose import takes up to minutes on a shared file system: without a handler the
# signal ends the process.
signal.signal(signal.SIGUSR1, on_signal)

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

TOKEN_BYTES = 4
RUN_FILE = "run.json"
EXIT_DATA = 92


class Attention(nn.Module):
    def __init__(self, hidden, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.width = heads, kv_heads, hidden // heads
        self.query = nn.Linear(hidden, heads * self.width, bias=False)
        self.key = nn.Linear(hidden, kv_heads * self.width, bias=False)
        self.value = nn.Linear(hidden, kv_heads * self.width, bias=False)
        self.output = nn.Linear(heads * self.width, hidden, bias=False)

    def forward(self, x, cosine, sine):
        batch, length, _ = x.shape
        query = self.query(x).view(batch, length, self.heads, self.width).transpose(1, 2)
        key = self.key(x).view(batch, length, self.kv_heads, self.width).transpose(1, 2)
        value = self.value(x).view(batch, length, self.kv_heads, self.width).transpose(1, 2)
        query, key = rotated(query, cosine, sine), rotated(key, cosine, sine)
        repeat = self.heads // self.kv_heads
        key, value = key.repeat_interleave(repeat, 1), value.repeat_interleave(repeat, 1)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, -1))


class Block(nn.Module):
    def __init__(self, hidden, ffn, heads, kv_heads, recompute):
        super().__init__()
        self.recompute = recompute
        self.attention = Attention(hidden, heads, kv_heads)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(hidden), nn.RMSNorm(hidden)
        self.gate = nn.Linear(hidden, ffn, bias=False)
        self.up = nn.Linear(hidden, ffn, bias=False)
        self.down = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x, cosine, sine):
        if self.recompute and self.training:
            return checkpoint(self._forward, x, cosine, sine, use_reentrant=False)
        return self._forward(x, cosine, sine)

    def _forward(self, x, cosine, sine):
        x = x + self.attention(self.attention_norm(x), cosine, sine)
        normed = self.ffn_norm(x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.embedding = nn.Embedding(o.vocab, o.hidden)
        self.blocks = nn.ModuleList(
            Block(o.hidden, o.ffn, o.heads, o.kv_heads, o.recompute) for _ in range(o.layers)
        )
        self.norm = nn.RMSNorm(o.hidden)
        self.head = nn.Linear(o.hidden, o.vocab, bias=False)

    def forward(self, tokens, cosine, sine):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, cosine, sine)
        return self.head(self.norm(x))

    @torch.no_grad()
    def initialise(self, generator):
        # Of the process's own shard: on CPUs the random numbers of a DTensor are the same in every
        # process, so that the shards would be copies of each other.
        for name, parameter in self.named_parameters():
            own = parameter.to_local()
            if parameter.dim() < 2:
                nn.init.ones_(own)
            else:
                deep = name.endswith(("output.weight", "down.weight"))
                depth = math.sqrt(2 * len(self.blocks)) if deep else 1.0
                nn.init.normal_(own, std=0.02 / depth, generator=generator)


def rotated(x, cosine, sine):
    first, second = x.float().chunk(2, dim=-1)
    turned = torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)
    return turned.to(x.dtype)


def rotary(length, width, device):
    positions = torch.arange(length, device=device, dtype=torch.float32)
    steps = torch.arange(0, width, 2, device=device, dtype=torch.float32) / width
    angles = torch.outer(positions, 500_000.0**-steps)
    return angles.cos(), angles.sin()


class Tokens:
    """Sequences of the data files, in an order that depends on the seed only."""

    def __init__(self, folder, seq_len, seed):
        self.length = seq_len + 1
        self.maps, self.counts = [], []
        for path in sorted(Path(folder).glob("*.bin")):
            if path.stat().st_size >= self.length * TOKEN_BYTES:
                with path.open("rb") as stream:
                    self.maps.append(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
                self.counts.append(path.stat().st_size // TOKEN_BYTES // self.length)
        self.total = sum(self.counts)
        if not self.total:
            unusable(f"{folder} has no *.bin file with {self.length} tokens")
        # A stride without a common divisor visits every sequence once per epoch.
        self.stride = max(1, int(self.total * 0.6180339887)) + seed % 97
        while math.gcd(self.stride, self.total) != 1:
            self.stride += 1

    def content(self, index):
        place = index * self.stride % self.total
        for content, count in zip(self.maps, self.counts, strict=True):
            if place < count:
                begin = place * self.length * TOKEN_BYTES
                return bytearray(content[begin : begin + self.length * TOKEN_BYTES])
            place -= count
        raise AssertionError(place)

    def sequences(self, first, count, vocab):
        rows = [torch.frombuffer(self.content(first + i), dtype=torch.int32) for i in range(count)]
        rows = torch.stack(rows).long()
        low, high = rows.min().item(), rows.max().item()
        if low < 0 or high >= vocab:
            # On a GPU the error of the embedding would not name the cause.
            unusable(f"the data has token {low if low < 0 else high}: the vocabulary has {vocab}")
        return rows


def unusable(text):
    print(text, file=sys.stderr, flush=True)
    sys.exit(EXIT_DATA)


def main():
    o = options()
    device = start(o.device)
    rank, world = dist.get_rank(), dist.get_world_size()
    model, optimizer = made(o, device, rank)
    tokens = Tokens(o.data, o.seq_len, o.seed)
    batch = o.micro_batch * o.accumulation * world
    step, samples = resumed(o, model, optimizer, tokens, batch)
    say(
        f"Training starts at step {step + 1}, with local batch size {o.micro_batch}, global batch "
        f"size {batch}, gradient accumulation steps {o.accumulation}, sequence length "
        f"{o.seq_len}, total steps {o.steps}"
    )
    cosine, sine = rotary(o.seq_len, o.hidden // o.heads, device)
    while step < o.steps:
        step += 1
        began = time.monotonic()
        first = samples + rank * o.micro_batch
        loss = trained(o, model, optimizer, tokens, step, first, batch, device, cosine, sine)
        samples += batch
        # The sum of the flags: if one process has the signal, all end after the same step.
        state = torch.tensor([loss, float(bool(signals))], device=device)
        dist.all_reduce(state, op=dist.ReduceOp.SUM)
        average, ending = state[0].item() / world, state[1].item() > 0
        seconds = time.monotonic() - began
        rate = o.micro_batch * o.accumulation * o.seq_len / seconds
        say(
            f"step: {step}  loss: {average:.5f}  lr: {learning_rate(o, step):.3e}  "
            f"tps: {rate:,.0f}"
        )
        if not math.isfinite(average):
            say("the loss is not a number: the last checkpoint is kept")
            sys.exit(1)
        if ending or step % o.save_every == 0 or step == o.steps:
            saved(o, model, optimizer, step, about_run(o, tokens, batch, samples))
        if ending:
            say("saved on the signal")
            break
    if step >= o.steps:
        say("Training completed")
    dist.barrier()
    dist.destroy_process_group()
    if step < o.steps:
        # In pods an exit code of 0 says that the run is complete.
        sys.exit(int(os.environ.get("EXIT_WHEN_SAVED", "0")))


def trained(o, model, optimizer, tokens, step, first, batch, device, cosine, sine):
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(o, step)
    total = 0.0
    for micro in range(o.accumulation):
        model.set_requires_gradient_sync(micro + 1 == o.accumulation)
        begin = first + micro * (batch // o.accumulation)
        rows = tokens.sequences(begin, o.micro_batch, o.vocab).to(device)
        logits = model(rows[:, :-1], cosine, sine)
        loss = functional.cross_entropy(logits.float().flatten(0, 1), rows[:, 1:].flatten())
        (loss / o.accumulation).backward()
        total += loss.item() / o.accumulation
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return total


def learning_rate(o, step):
    if step <= o.warmup:
        return o.learning_rate * step / o.warmup
    done = min(1.0, (step - o.warmup) / max(1, o.steps - o.warmup))
    return o.learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))


def made(o, device, rank):
    with torch.device("meta"):
        model = Model(o)
    # Inputs are tokens and the tables of the rotary embedding, which stay in float32.
    policy = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32, cast_forward_inputs=False
    )
    keywords = {"mp_policy": policy} if device.type != "cpu" else {}
    for block in model.blocks:
        fully_shard(block, **keywords)
    fully_shard(model, **keywords)
    model.to_empty(device=device)
    model.initialise(torch.Generator(device).manual_seed(o.seed * dist.get_world_size() + rank))
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=o.learning_rate, betas=(0.9, 0.95), weight_decay=0.1
    )
    return model, optimizer


def about_run(o, tokens, batch, samples):
    return {
        "samples": samples,
        "global_batch": batch,
        "seq_len": o.seq_len,
        "seed": o.seed,
        "sequences": tokens.total,
    }


def saved(o, model, optimizer, step, about):
    say(f"Saving the checkpoint at step {step}")
    began = time.monotonic()
    final = Path(o.checkpoints) / f"step-{step}"
    part = final.with_name(f"{final.name}.part")
    try:
        if dist.get_rank() == 0:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            (part / RUN_FILE).write_text(json.dumps(about) + "\n", "utf-8")
        dist.barrier()
        weights, moments = get_state_dict(model, optimizer)
        dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=str(part))
    except (OSError, dcp.CheckpointException) as error:
        unsaved(o, step, part, error)
    dist.barrier()
    if dist.get_rank() == 0:
        shutil.rmtree(final, ignore_errors=True)
        part.rename(final)
        for old in whole(o)[: -o.keep]:
            # Renamed first: a removal that is interrupted leaves no folder that looks whole.
            rest = old.with_name(f"{old.name}.part")
            old.rename(rest)
            shutil.rmtree(rest, ignore_errors=True)
    dist.barrier()
    say(f"Finished saving the checkpoint in {time.monotonic() - began:.2f} seconds")


def unsaved(o, step, part, error):
    if dist.get_rank() == 0:
        # PyTorch does not always say that the disk is full: "unexpected pos 704 vs 598".
        free = shutil.disk_usage(o.checkpoints).free >> 20
        # A full disk stays full with it.
        shutil.rmtree(part, ignore_errors=True)
        causes = [failure[0] for failure in getattr(error, "failures", {}).values()] or [error]
        kept = [folder.name for folder in whole(o)]
        print(
            f"the checkpoint at step {step} could not be written with {free} MiB free: "
            f"{causes[0]}; whole checkpoints in {o.checkpoints}: {', '.join(kept) or 'none'}",
            file=sys.stderr,
            flush=True,
        )
    sys.exit(1)


def resumed(o, model, optimizer, tokens, batch):
    found = [newest(o) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(found, src=0)
    step = found[0]
    if step is None:
        print(f"no checkpoint in {o.checkpoints} can be read", file=sys.stderr, flush=True)
        sys.exit(1)
    if step < 0:
        return 0, 0
    folder = Path(o.checkpoints) / f"step-{step}"
    say(f"Loading the checkpoint from {folder}")
    began = time.monotonic()
    weights, moments = get_state_dict(model, optimizer)
    state = {"model": weights, "optimizer": moments}
    dcp.load(state, checkpoint_id=str(folder))
    set_state_dict(
        model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"]
    )
    say(f"Finished loading the checkpoint in {time.monotonic() - began:.2f} seconds")
    return step, samples_before(folder, step, about_run(o, tokens, batch, 0))


def samples_before(folder, step, now):
    path = folder / RUN_FILE
    if not path.is_file():
        say(f"{folder.name} has no {RUN_FILE}: {step} steps of this batch size are taken as done")
        return step * now["global_batch"]
    then = json.loads(path.read_text("utf-8"))
    for key in ("seq_len", "seed", "sequences"):
        if then[key] != now[key]:
            say(f"{key} was {then[key]} and is {now[key]}: samples come in another order now")
    if then["global_batch"] != now["global_batch"]:
        say(
            f"global_batch was {then['global_batch']} and is {now['global_batch']}: "
            f"the data go on after {then['samples']} samples"
        )
    return then["samples"]


def newest(o):
    """Step of the newest checkpoint with all its bytes; -1 without any, None if all are torn."""
    for rest in Path(o.checkpoints).glob("step-*.part"):
        shutil.rmtree(rest, ignore_errors=True)
    torn = []
    for folder in reversed(whole(o)):
        reason = defect(folder)
        if reason is None:
            for name, other in torn:
                aside = Path(o.checkpoints) / f"{name}.torn"
                shutil.rmtree(aside, ignore_errors=True)
                (Path(o.checkpoints) / name).rename(aside)
                say(f"{name} is torn, and is now {aside.name}: {other}")
            return int(folder.name[5:])
        torn.append((folder.name, reason))
    for name, reason in torn:
        say(f"{name} is torn: {reason}")
    return None if torn else -1


def defect(folder):
    try:
        stored = dcp.FileSystemReader(str(folder)).read_metadata().storage_data
    except (EOFError, pickle.UnpicklingError) as error:
        return f".metadata cannot be read: {error}"
    ends = {}
    for place in stored.values():
        end = place.offset + place.length
        ends[place.relative_path] = max(end, ends.get(place.relative_path, 0))
    for name, end in sorted(ends.items()):
        path = folder / name
        size = path.stat().st_size if path.is_file() else 0
        if size < end:
            return f"{name} has {size} bytes, not {end}"
    return None


def whole(o):
    folders = Path(o.checkpoints).glob("step-*")
    found = [f for f in folders if f.name[5:].isdigit() and (f / ".metadata").is_file()]
    return sorted(found, key=lambda folder: int(folder.name[5:]))


def start(wanted):
    for name, slurm in (
        ("RANK", "SLURM_PROCID"),
        ("LOCAL_RANK", "SLURM_LOCALID"),
        ("WORLD_SIZE", "SLURM_NTASKS"),
    ):
        if name not in os.environ and slurm in os.environ:
            os.environ[name] = os.environ[slurm]
    if os.environ.get("LOCAL_RANK", "0") != "0":
        # NCCL's lines of one process per node say which network it uses.
        os.environ["NCCL_DEBUG"] = "WARN"
    cuda = wanted == "cuda" or (wanted == "auto" and torch.cuda.is_available())
    local = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    backend = "nccl" if cuda else "gloo"
    dist.init_process_group(backend, timeout=timedelta(minutes=30))
    return device


def say(text):
    if dist.get_rank() == 0:
        print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] {text}", flush=True)


def options():
    parser = argparse.ArgumentParser()
    for name in ("data", "checkpoints"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("layers", "hidden", "ffn", "heads", "kv-heads", "vocab", "seq-len"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name, value in (
        ("micro-batch", 1),
        ("accumulation", 1),
        ("steps", 1000),
        ("save-every", 100),
        ("keep", 2),
        ("warmup", 100),
        ("seed", 0),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--recompute", action="store_true")
    parser.add_argument("--device", choices=("auto", "cuda", "cpu"), default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
