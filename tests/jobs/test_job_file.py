"""A job file: options, environment, steps, launchers, secrets."""

from __future__ import annotations

import pytest

from clusterwright.jobs.job_file import JobFile, is_secret, read_job, secret_spans

TEXT = """#!/bin/bash
#SBATCH -N 4 --ntasks-per-node=1   # nodes
#SBATCH --nodes=2
#SBATCH --export=ALL,A=1
# text

export B=2
srun -l torchrun --nproc_per_node=8 --nnodes $SLURM_NNODES train.py --x 1
#SBATCH --time=1
"""


def read(text: str) -> JobFile:
    return read_job(text, "job.sbatch")


def test_options() -> None:
    job = read(TEXT)
    assert [(o.name, o.value, o.line, o.column) for o in job.options] == [
        ("nodes", "4", 2, 9),
        ("ntasks-per-node", "1", 2, 14),
        ("nodes", "2", 3, 9),
        ("export", "ALL,A=1", 4, 9),
    ]
    assert (job.nodes, job.minutes, job.count("ntasks-per-node")) == ((2, 2), None, 1)
    assert [word.line for word in job.not_directives] == [9]


def test_environment() -> None:
    text = TEXT + "C=3 srun a\nenv D=4 srun b\nmpirun -x E=5 c\nF=6\n"
    found = {a.name: a.value.text for a in read(text).environment}
    assert found == {"A": "1", "B": "2", "C": "3", "D": "4", "E": "5"}


def test_step_and_launcher() -> None:
    (step,) = read(TEXT).steps
    assert (step.runner, set(step.options), step.name) == ("srun", {"label"}, "torchrun")
    assert step.launcher is not None
    assert (step.launcher.number("nproc-per-node"), step.launcher.number("nnodes")) == (8, 2)
    assert [word.text for word in step.launcher.script] == ["train.py", "--x", "1"]


@pytest.mark.parametrize(
    ("line", "runner", "launcher"),
    [
        ("srun python -m torch.distributed.run --nnodes=2 a.py", "srun", "torchrun"),
        ("srun bash -c 'cd /x; torchrun a.py'", "srun", "torchrun"),
        ("timeout 2h srun a", "srun", None),
        ("env A=1 mpirun -np 8 a", "mpirun", None),
        ("torchrun --standalone a.py", "", "torchrun"),
        ("srun apptainer exec a.sif torchrun a.py", "srun", "torchrun"),
        ("accelerate launch --num_machines 2 a.py", "", "accelerate"),
    ],
)
def test_steps(line: str, runner: str, launcher: str | None) -> None:
    (step,) = read(f"#!/bin/bash\n{line}\n").steps
    assert step.runner == runner
    assert (step.launcher.name if step.launcher else None) == launcher


def test_commands_without_a_launcher_are_no_steps() -> None:
    assert read("#!/bin/bash\npython a.py\necho srun\n").steps == ()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("HF_TOKEN", "hf_" + "a" * 30, True),
        ("ANY", "AKIA" + "A1B2C3D4E5F6G7H8", True),
        ("DB_PASSWORD", "correcthorse", True),
        ("HF_TOKEN", "$TOKEN", False),
        ("HF_TOKEN", "<your-token>", False),
        ("HF_TOKEN", "short", False),
        ("TOKENIZER", "abcdefghijklmnop", False),
        ("API_KEY", "/fsx/key", False),
    ],
)
def test_secrets(name: str, value: str, expected: bool) -> None:
    assert is_secret(name, value) is expected
    assert bool(secret_spans(f"export {name}={value}")) is expected


def test_secrets_are_masked_in_positions() -> None:
    job = read("#!/bin/bash\nexport DB_PASSWORD=correcthorse; srun a\n")
    assert job.position(2).source_line == "export DB_PASSWORD=************; srun a"


def test_options_after_a_variable_that_the_file_does_not_determine() -> None:
    text = 'if [ $X ]; then A=(-l); fi\nsrun -N2 "${A[@]}" --ntasks=2 $B train.py --nodes 3\n'
    (step,) = read_job("#!/bin/bash\n" + text, "x").steps
    assert {name: option.value for name, option in step.options.items()} == {
        "nodes": "2",
        "ntasks": "2",
    }
    assert [word.text for word in step.program] == ["${B}", "train.py", "--nodes", "3"]


def test_programs_of_a_shell_text() -> None:
    text = "cd /a\nsrun -D b bash -c 'cd c && x --y; [ $Z ] && p; if q; then r; fi; s'\n"
    (step,) = read("#!/bin/bash\n" + text).steps
    found = [(one.name, one.folder, one.certain) for one in step.programs if one.name in "xprs"]
    assert found == [
        ("x", "/a/b/c", True),
        ("p", "/a/b/c", False),
        ("r", "/a/b/c", False),
        ("s", "/a/b/c", True),
    ]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("srun -l a $B", []),
        ("srun -o $B a", []),
        ("srun $B a", ["*"]),
        ('srun -l "$B" --nodes=2 a', ["*"]),
        ("if b; then O='-N2 -l'; fi\nsrun $O a", ["label", "nodes"]),
        ("if b; then O='-N2 -l'; fi\nsrun a $O", []),
    ],
)
def test_hidden_options(text: str, hidden: list[str]) -> None:
    (step,) = read(f"#!/bin/bash\n{text}\n").steps
    assert sorted(step.hidden) == hidden
    assert step.may_have("nodes") is bool(hidden)


@pytest.mark.parametrize("separator", ["hetjob", "packjob"])
def test_options_are_those_of_the_first_component(separator: str) -> None:
    text = f"#!/bin/bash\n#SBATCH -N4 -n 8\n#SBATCH {separator}\n#SBATCH -p cpu -N1 --frob\n"
    job = read_job(text, "job.sbatch")
    assert [option.name for option in job.options] == ["nodes", "ntasks"]
    assert [option.name for option in job.all_options[2:]] == ["partition", "nodes"]
    assert [mistake.text for mistake in job.mistakes] == ["--frob"]
