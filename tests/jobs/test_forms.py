"""What launch lines and settings of frameworks state."""

from __future__ import annotations

import pytest

from clusterwright.jobs.forms import ACCELERATE, DEEPSPEED, TORCHRUN, TORCHTITAN, Forms, stated
from tests.jobs.made import HEAD, made_job


@pytest.mark.parametrize(
    ("line", "forms"),
    [
        ("srun torchrun train.py", TORCHRUN),
        ("srun python -m torch.distributed.run train.py", TORCHRUN),
        ("srun accelerate launch train.py", ACCELERATE),
        ("deepspeed --num_gpus 8 train.py", DEEPSPEED),
        ("srun torchrun -m torchtitan.train", TORCHTITAN),
        ("srun torchrun ./torchtitan/train.py", TORCHTITAN),
        ("srun hyperpodrun train.py", None),
        ("srun python train.py", None),
    ],
)
def test_the_forms_of_a_launcher(line: str, forms: Forms | None) -> None:
    job = made_job(HEAD + line + "\n")
    (step,) = job.file.steps
    words = step.launcher.script if step.launcher is not None else step.program
    told = stated(job, step, words)
    assert (told.forms if told is not None else None) is forms


def test_arguments_count_before_settings() -> None:
    text = 'cat > z.json <<E\n{"zero_optimization": {"stage": 2}, "a": "auto", "b": 1}\nE\n'
    line = "accelerate launch --use_deepspeed --zero_stage 3 t.py --b 2 --deepspeed z.json --c\n"
    job = made_job(HEAD + text + line)
    (step,) = job.file.steps
    assert step.launcher is not None
    told = stated(job, step, step.launcher.script)
    assert told is not None
    assert told.text(told.forms.stage) == "2"  # what DeepSpeed reads
    assert [told.text([name]) for name in "abcd"] == [None, "2", "", None]
    assert (told.kind, told.unread) == ("DEEPSPEED", ())
    assert told.on(["c"])
    assert not told.on(["d"])
