"""A job runs in a container, where the spec asks for Pyxis and its artefacts are on the nodes.

The image is made on the spot from programs of the node: no registry can be reached from here.
Where Pyxis is not on the nodes, nothing can be said, and the promise is unknown.
"""

from __future__ import annotations

from clusterwright.rehearsal.stage import Node, Stage
from clusterwright.rehearsal.training import partition_of

ORDER = 30

PROMISES = {
    "offered": "srun has Pyxis's options on every compute node",
    "runs": "a job in a container sees the container's files, and its node's name",
}

_MARK = "made by the rehearsal"
_MAKE = f"""
set -e
command -v mksquashfs
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{{bin,etc,proc,sys,dev,tmp}}
for program in /bin/bash /bin/cat /bin/hostname; do
  cp -L "$program" "$work/bin/"
  ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
    install -D "$library" "$work$library"
  done
done
ln -s bash "$work/bin/sh"
echo '{_MARK}' >"$work/etc/rehearsal"
mksquashfs "$work" "$1" -noappend -quiet
"""


def play(stage: Stage) -> None:
    if not stage.cluster.slurm.containers.pyxis:
        stage.not_for_this("the spec asks for no containers")
    with stage.promise("offered"):
        without = [node for node in stage.compute if not _has_pyxis(node)]
        if without:
            stage.cannot(f"{without[0]} has no Pyxis: {_why(stage, without[0])}")

    with stage.promise("runs"):
        node = stage.compute[0]
        image = f"{stage.shared_folder}/rehearsal.sqsh"
        made = node.run(f"mkdir -p {stage.shared_folder}; set -- {image}; {_MAKE}")
        if not made.ok:
            stage.cannot(f"no image can be made on {node}: {made.said or 'no mksquashfs'}")
        options = [f"--nodelist={node.host}"]
        partition = partition_of(stage, node.group)
        options += [f"--partition={partition}"] if partition else []
        job = stage.submit(
            f"srun --container-image={image} /bin/sh -c 'cat /etc/rehearsal; hostname'",
            options=options,
        )
        job.wait("COMPLETED", within_s=120)
        lines = job.output().splitlines()
        stage.expect(lines[-2:] == [_MARK, node.host], f"its output: {job.output()!r}")


def _has_pyxis(node: Node) -> bool:
    return "--container-image" in node.run("srun --help").stdout


def _why(stage: Stage, node: Node) -> str:
    """What the node program says of its step."""
    said = [line for line in stage.logs(node) if '"step": "containers"' in line]
    return said[-1] if said else "the node program said nothing of it"
