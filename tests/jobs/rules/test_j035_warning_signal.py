"""CW-J035: Training jobs with a time limit are warned before it."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

TRAIN = "srun torchrun train.py\n"


def test_no_signal() -> None:
    assert "--signal" in (fails("CW-J035", HEAD + "#SBATCH -t 1-0\n" + TRAIN).hint or "")


def test_signal_to_a_shell_without_a_trap() -> None:
    fails("CW-J035", HEAD + "#SBATCH -t 1-0 --signal=B:USR1@300\n" + TRAIN)


HANDLED = "srun torchrun pretrain_gpt.py --num-layers 4 --save /fsx/c --exit-signal-handler\n"
SHELL = "#SBATCH --signal=B:USR1@300\n"
BEHIND = "srun torchrun train.py &\npid=$!\n"


def test_a_signal_that_ends_wait() -> None:
    text = SHELL + "trap 'kill -USR1 $pid' USR1\n" + BEHIND + "wait $pid\n"
    assert "`wait`" in fails("CW-J035", HEAD + text).message
    text = SHELL + "on() {\n  kill -USR1 $pid\n}\ntrap on USR1\n" + BEHIND + "wait\n"
    fails("CW-J035", HEAD + text)
    fails("CW-J035", HEAD + text.replace("trap on", "trap 'echo a; on'"))


@pytest.mark.parametrize(
    "text",
    [
        "trap 'kill -USR1 $pid; wait $pid' USR1\n" + BEHIND + "wait $pid\n",
        "on() {\n  kill -USR1 $pid\n  wait $pid\n}\ntrap on USR1\n" + BEHIND + "wait\n",
        "trap 'scontrol requeue $SLURM_JOB_ID' USR1\n" + BEHIND + "wait\n",
        "trap 'kill -USR1 $pid' USR1\n" + BEHIND + "until wait $pid; do :; done\n",
        "trap 'kill -USR1 $pid' USR1\n" + BEHIND + "wait $pid\nwait $pid\n",
        "trap 'kill -USR1 $pid' USR1\n" + BEHIND + "wait $pid\nfinish_training\n",
        "on() { kill -$1 $pid; wait $pid; }\ntrap 'on USR1' USR1\n" + BEHIND + "wait $pid\n",
        "on() { kill -USR1 $pid; wait; }\ntrap 'echo a; on' USR1\n" + BEHIND + "wait $pid\n",
        "on() { kill $pid; again; }\nagain() { wait; }\ntrap on USR1\n" + BEHIND + "wait\n",
        "on() { kill $pid; tail --pid=$pid -f a; }\ntrap on USR1\n" + BEHIND + "wait $pid\n",
        "on() { while kill -0 $pid; do :; done; }\ntrap on USR1\n" + BEHIND + "wait $pid\n",
        "trap '' USR1\n" + BEHIND + "wait $pid\n",
        'trap "$HANDLER" USR1\n' + BEHIND + "wait $pid\n",
    ],
)
def test_waits_again(text: str) -> None:
    passes("CW-J035", HEAD + SHELL + text)


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --signal=USR1@300\n" + HANDLED,
        "#SBATCH --signal=10@300\n" + HANDLED,
        SHELL + "trap 'kill -s USR1 $pid; wait' USR1\n" + HANDLED,
        SHELL + "on() { kill -$1 $pid; wait; }\ntrap 'on 10' USR1\n" + HANDLED,
        SHELL + "trap 'kill $a' EXIT\ntrap 'kill -USR1 $pid; wait' USR1\n" + HANDLED,
        SHELL + "trap 'kill $pid; wait' USR1\n" + HANDLED.replace(" --exit-signal-handler", ""),
        "#SBATCH --signal=TERM@300\n" + HANDLED.replace(" --exit-signal-handler", ""),
    ],
)
def test_a_signal_that_megatron_does_not_handle(text: str) -> None:
    assert "checkpoint" in fails("CW-J035", HEAD + text).message


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --signal=TERM@300\n" + HANDLED,
        "#SBATCH --signal=SIGTERM@300\n" + HANDLED,
        "#SBATCH --signal=USR1@300\n" + HANDLED.replace("\n", " --exit-signal SIGUSR1\n"),
        SHELL + "trap 'kill -TERM $pid; wait' USR1\n" + HANDLED,
        SHELL + "trap 'kill $pid; wait' USR1\nkill -USR1 $dcgm\n" + HANDLED,
        SHELL + "trap 'kill -$S $pid; wait' USR1\n" + HANDLED,
        "#SBATCH --signal=TERM@300\nsrun torchrun pretrain_gpt.py --num-layers 2 --save /fsx/c "
        '"${ARGS[@]}"\n',
        SHELL + "trap 'save; kill -USR1 $a; kill -TERM $b; wait' USR1\n" + HANDLED,
        "#SBATCH --signal=TERM@300\nsrun torchrun pretrain_bert.py --save /fsx/c "
        "--exit-duration-in-mins 600\n",
    ],
)
def test_a_signal_that_megatron_handles(text: str) -> None:
    passes("CW-J035", HEAD + text)


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH -t 1-0 --signal=USR1@300\n" + TRAIN,
        "#SBATCH -t 30\n" + TRAIN,
        TRAIN,
        "#SBATCH --signal=B:USR1@300\ntrap 'kill -USR1 $pid' USR1\n" + TRAIN,
    ],
)
def test_signalled_or_short(text: str) -> None:
    passes("CW-J035", HEAD + text)


@pytest.mark.parametrize("program", ["-m torchtitan.train", "/fsx/torchtitan/torchtitan/train.py"])
def test_torchtitan_handles_no_signal(program: str) -> None:
    run = f"srun torchrun --nproc_per_node=8 {program}"
    fails("CW-J035", HEAD + f"#SBATCH --signal=USR1@300\n{run}\n")
    passes("CW-J035", HEAD + f"{SHELL}trap 'save; wait' USR1\n{run} &\nwait\n")
