"""A job runs in a container, with Enroot and Pyxis downloaded from the bucket.

If the spec has no containers, a deployment adds them: stubs of both, which are mirrored to the
emulated bucket with their real checksums, then downloaded, verified and installed by every node.
If the spec declares them as part of the image, the emulated image has the same stubs. The image of
the container is created on the node from its own programs: no registry is reachable.

The change stays deployed, so this scenario and those that need it run last.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import containers
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 900
SECONDS = 115

PROMISES = {
    "offered": "every node has Pyxis, from the image or downloaded from the bucket and verified",
    "runs": "a job in a container sees the files of the container, not those of the node",
    "without": "a job without a container sees the files of the node",
    "tidy": "the unpacked image is deleted when the job has ended",
}

_MARK = "created by the rehearsal"
_MAKE = f"""
set -e
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{{bin,etc,proc,sys,dev,tmp}} "$work$2"
for program in /bin/bash /bin/cat /bin/hostname /bin/id; do
  cp -L "$program" "$work/bin/"
  ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
    install -D "$library" "$work$library"
  done
done
ln -s bash "$work/bin/sh"
echo '{_MARK}' >"$work/etc/rehearsal"
chmod 755 "$work"
mksquashfs "$work" "$1" -noappend -quiet -no-progress
"""


def run(context: ScenarioContext) -> None:
    containers.require_compiler(context)
    with context.promise("offered"):
        containers.install(context)
        without = [node.name for node in context.nodes() if not containers.has_pyxis(node)]
        context.expect(not without, f"no Pyxis on {', '.join(without)}")
        if containers.are_downloaded(context):
            labels = [
                f"{row['name']} {row['version']}" for row in containers.artefacts_of(context)
            ]
            context.note(f"from the bucket: {', '.join(labels)}; {containers.STUBS_NOTE}")
        else:
            context.note(f"part of the image; {containers.STUBS_NOTE}")

    node = context.compute[-1]
    options = [f"--nodelist={node.host}"]
    partition = partition_of(context, node.group)
    options += [f"--partition={partition}"] if partition else []
    look = "/bin/sh -c 'cat /etc/rehearsal; hostname; id -u; cat /etc/fstab 2>&1; exit 0'"
    with context.promise("runs"):
        image = f"{context.shared_folder}/rehearsal.sqsh"
        node.must(
            f"mkdir -p {context.shared_folder}; set -- {image} {context.shared_folder}; {_MAKE}"
        )
        job = context.submit(f"srun --container-image={image} {look}", options=options)
        job.wait("COMPLETED", within_s=120)
        lines = job.output().splitlines()
        user = node.must("id -u ubuntu").strip()
        context.expect(lines[:3] == [_MARK, node.host, user], f"its output: {job.output()!r}")
        context.expect(
            "No such file" in lines[3], f"it can read /etc/fstab of the node: {lines[3:]}"
        )

    with context.promise("without"):
        plain = context.submit(f"srun {look}", options=options)
        plain.wait("COMPLETED", within_s=60)
        context.expect(_MARK not in plain.output(), f"its output: {plain.output()!r}")

    with context.promise("tidy"):
        context.wait_for(lambda: containers.leftover_folders(node) or None, within_s=20)
