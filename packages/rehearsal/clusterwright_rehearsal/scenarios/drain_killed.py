"""A node is killed in the middle of copying a checkpoint to shared storage.

One checkpoint is whole on shared storage. Of the next, which has many files, some are copied when
the node is lost. The job's next attempt must find the whole one, and write the half one anew
without a file of the first attempt in it.
"""

from __future__ import annotations

import json

from clusterwright_rehearsal.scenario_api.context import Stage
from clusterwright_rehearsal.scenario_api.training import Training, group_of_two, train

ORDER = 130
NEEDS_COMPUTE = 2
MODES = ("managed",)  # scripted: Slurm waits 300 s for a lost node, as the spec says

PROMISES = {
    "half": "the node is killed when some files of a checkpoint are copied and some are not",
    "usable": "the last whole checkpoint is still the latest, and holds what its manifest says",
    "resumed": "the next attempt begins there",
    "not-mixed": "the half copied checkpoint becomes whole, with files of one attempt only",
}

_FILES = 400
# Stops the copying when a few files are there: it is quicker than anybody who looks from outside.
_FREEZE = """
cd / && deadline=$((SECONDS + 60))
while [ "$SECONDS" -lt "$deadline" ]; do
  set -- {folder}/*.partial/part-2*
  if [ -e "$1" ]; then
    for each in $(pgrep -f '[c]lusterwright_checkpoints run .*{run}'); do kill -STOP "$each"; done
    ls {folder}/*.partial | wc -l
    exit
  fi
done
exit 1
"""


def play(stage: Stage) -> None:
    training = train(stage, group=group_of_two(stage), name="killed", every=12, files=_FILES)
    try:
        _kill_half_way(stage, training)
    finally:
        training.take_away()


def _kill_half_way(stage: Stage, training: Training) -> None:
    with stage.promise("half"):
        training.job.wait("RUNNING", within_s=60)
        training.wait_newest(12, within_s=90)
        victim = stage.node(training.job.hosts[0])
        before = victim.instance_id
        stage.set_detection(3600.0)
        script = _FREEZE.format(folder=training.folder, run=training.run)
        copied = int(victim.must(script, timeout_s=70))
        whole = training.newest()
        stage.crash(victim)
        stage.expect(0 < copied < _FILES, f"{copied} of {_FILES} files were copied")
        stage.note(f"{copied} of {_FILES} files were there")
    half = stage.controller.must(f"cd {training.folder} && ls -d *.partial").split()[0]
    try:
        with stage.promise("usable"):
            stage.expect(half.endswith("@0.partial"), f"the half one is {half}")
            stage.expect(training.newest() == whole, f"latest is {training.newest()}")
            broken = training.broken_checkpoints()
            stage.expect(not broken, "; ".join(broken))

        with stage.promise("resumed"):
            training.wait_starts(2, within_s=200)
            second = training.starts()[1]
            stage.expect(int(second["step"]) == whole, f"it began at step {second['step']}")
            stage.note(f"at step {whole}")
    finally:
        stage.set_detection(0.0)

    with stage.promise("not-mixed"):
        step = half.partition("@")[0]
        training.wait_newest(int(step.removeprefix("step-")), within_s=120)
        restarts = stage.controller.must(
            f"cd {training.folder}/{step} && sed -E 's/.* restart ([0-9]+) .*/\\1/' part-*"
            " | sort | uniq -c"
        )
        stage.expect(restarts.split() == [str(_FILES), "1"], f"files by attempt: {restarts!r}")
        manifest = json.loads(stage.controller.must(f"cat {training.folder}/{step}/MANIFEST.json"))
        stage.expect(
            len(manifest["files"]) == _FILES + 1, f"{len(manifest['files'])} files in the manifest"
        )
        broken = training.broken_checkpoints()
        stage.expect(not broken, "; ".join(broken))
        stage.wait_for(lambda: _is_there(training, half), within_s=30)
    training.job.cancel()
    stage.wait_running(victim, but=before)
    stage.set_detection(4.0)
    stage.settle(within_s=120)


def _is_there(training: Training, folder: str) -> str | None:
    """The half checkpoint goes at the next look of the drain, as its step is whole now."""
    path = f"{training.folder}/{folder}"
    return (
        f"{path} is still there" if training.stage.controller.run(f"test -d {path}").ok else None
    )
