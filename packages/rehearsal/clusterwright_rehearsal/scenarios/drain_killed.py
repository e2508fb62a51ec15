"""A node is lost while it copies a checkpoint to shared storage.

One checkpoint is complete on shared storage. Of the next, which has many files, some are copied
when the node is lost. The job's next attempt must resume from the complete one, and write the
incomplete one again without a file of the first attempt in it.
"""

from __future__ import annotations

import json

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import Training, group_of_two, train

ORDER = 130
NEEDS_COMPUTE = 2
MODES = ("managed",)  # scripted: Slurm waits 300 s for a lost node, as the spec says

PROMISES = {
    "half": "the node is lost when some files of a checkpoint are copied and some are not",
    "usable": "the last complete checkpoint is still the latest, and matches its manifest",
    "resumed": "the next attempt resumes from it",
    "not-mixed": "the incomplete checkpoint is completed, with files of one attempt only",
}

_FILES = 400
# Stops the copy on the node when a few files exist; a check from outside would be too slow.
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


def run(context: ScenarioContext) -> None:
    training = train(context, group=group_of_two(context), name="killed", every=12, files=_FILES)
    try:
        _kill_during_copy(context, training)
    finally:
        training.clean_up()


def _kill_during_copy(context: ScenarioContext, training: Training) -> None:
    with context.promise("half"):
        training.job.wait("RUNNING", within_s=60)
        training.wait_newest(12, within_s=90)
        victim = context.node(training.job.hosts[0])
        before = victim.instance_id
        context.set_detection(3600.0)
        script = _FREEZE.format(folder=training.folder, run=training.run)
        copied = int(victim.must(script, timeout_s=70))
        whole = training.newest()
        context.crash(victim)
        context.expect(0 < copied < _FILES, f"{copied} of {_FILES} files were copied")
        context.note(f"{copied} of {_FILES} files were copied")
    half = context.controller.must(f"cd {training.folder} && ls -d *.partial").split()[0]
    try:
        with context.promise("usable"):
            context.expect(half.endswith("@0.partial"), f"the incomplete checkpoint is {half}")
            context.expect(training.newest() == whole, f"latest is {training.newest()}")
            broken = training.broken_checkpoints()
            context.expect(not broken, "; ".join(broken))

        with context.promise("resumed"):
            training.wait_starts(2, within_s=200)
            second = training.starts()[1]
            context.expect(int(second["step"]) == whole, f"it resumed from step {second['step']}")
            context.note(f"at step {whole}")
    finally:
        context.set_detection(0.0)

    with context.promise("not-mixed"):
        step = half.partition("@")[0]
        training.wait_newest(int(step.removeprefix("step-")), within_s=120)
        restarts = context.controller.must(
            f"cd {training.folder}/{step} && sed -E 's/.* restart ([0-9]+) .*/\\1/' part-*"
            " | sort | uniq -c"
        )
        context.expect(restarts.split() == [str(_FILES), "1"], f"files by attempt: {restarts!r}")
        manifest = json.loads(
            context.controller.must(f"cat {training.folder}/{step}/MANIFEST.json")
        )
        context.expect(
            len(manifest["files"]) == _FILES + 1, f"{len(manifest['files'])} files in the manifest"
        )
        broken = training.broken_checkpoints()
        context.expect(not broken, "; ".join(broken))
        context.wait_for(lambda: _still_exists(training, half), within_s=30)
    training.job.cancel()
    context.wait_running(victim, but=before)
    context.set_detection(4.0)
    context.wait_idle(within_s=120)


def _still_exists(training: Training, folder: str) -> str | None:
    """The partial folder is deleted by the next pass of the copy service."""
    path = f"{training.folder}/{folder}"
    return (
        f"{path} still exists" if training.context.controller.run(f"test -d {path}").ok else None
    )
