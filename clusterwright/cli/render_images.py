"""`clusterwright render images`: Dockerfiles of the images that jobs run in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.options import spec_argument
from clusterwright.cli.output_files import make_folder, write_atomically

if TYPE_CHECKING:
    from clusterwright.artefacts import Artefact
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.container_images.stacks import Stack

DEFAULT_LIST: Final = Path("images/artefacts.json")

EPILOG = """
Examples:

\b
  clusterwright render images configs/prod.yaml --list
  clusterwright artefacts pin --lock images/artefacts.json
  clusterwright render images configs/prod.yaml --image pytorch --output images \\
    --base pytorch=nvcr.io/nvidia/cuda@sha256:DIGEST

\b
Exit codes: 3 the command line, the spec or the list is wrong, or something is not pinned; else 0.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--image",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this image. May be repeated.  [default: all]",
)
@click.option(
    "--base",
    "bases",
    multiple=True,
    metavar="NAME=IMAGE",
    help="The base image of an image, REGISTRY/REPOSITORY@sha256:DIGEST. May be repeated.",
)
@click.option(
    "--lock",
    "lock_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_LIST,
    show_default=True,
    help="The list of archives with their checksums.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write DIR/NAME/Dockerfile and what it copies, and replace files of the same names.",
)
@click.option("--list", "list_only", is_flag=True, help="List the images, and render none.")
def command(
    path: Path,
    names: tuple[str, ...],
    bases: tuple[str, ...],
    lock_path: Path,
    output: Path | None,
    list_only: bool,
) -> None:
    """Write a Dockerfile for each image that jobs run in, with EFA and the plug-in of NCCL.

    Without --image these are the images for the accelerators of the spec.

    Base images are pinned by digest, archives by the checksums of the list, Python packages by
    those of the index. What is not pinned is refused. NCCL's code is compiled for the GPUs of the
    spec.
    """
    from clusterwright.container_images.dockerfile import UnpinnedError
    from clusterwright.platforms.image_repositories import repository_of_image, repository_uri

    stacks = _stacks(names)
    if list_only:
        for stack in stacks:
            click.echo(f"{stack.name}: {stack.title}; jobs: {', '.join(stack.jobs)}")
        return
    cluster = load_or_exit(path, command="render images", output_format="text").cluster
    if output is None:
        raise UserError("--output is missing", "--output DIR")
    known = _bases(bases, stacks)
    stacks = _for_cluster(cluster, stacks, named=bool(names))
    try:
        with catalog_errors():
            texts = _rendered(cluster, stacks, known, lock_path, output)
    except UnpinnedError as error:
        raise UserError(str(error), error.hint) from None
    for target, text in texts.items():
        make_folder(target.parent)
        write_atomically(target, text, force=True)
        click.echo(f"wrote {target}")
    for stack in stacks:
        repository = repository_of_image(cluster, stack.name)
        if repository is not None:
            click.echo(
                f"push with: docker buildx build --tag {repository_uri(cluster, repository)}:TAG "
                f"--push {output / stack.name}"
            )


def _stacks(names: tuple[str, ...]) -> list[Stack]:
    from clusterwright.container_images.stacks import STACKS, stack_named

    found = [stack_named(name) for name in dict.fromkeys(names)]
    for name, stack in zip(dict.fromkeys(names), found, strict=True):
        if stack is None:
            every = ", ".join(each.name for each in STACKS)
            raise UserError(f"--image: there is no image {name[:80]!r}", f"one of {every}")
    return [stack for stack in found if stack is not None] or list(STACKS)


def _for_cluster(cluster: Cluster, stacks: list[Stack], *, named: bool) -> list[Stack]:
    """The images for the spec's accelerators; each that the user names has to be one."""
    from clusterwright.catalog import load_catalog
    from clusterwright.platforms import accelerators

    with catalog_errors():
        catalog = load_catalog()
        families = {accelerators.family(g.instance_type, catalog) for g in cluster.compute}
    found = [stack for stack in stacks if stack.accelerators in families]
    for stack in stacks if named else ():
        if stack not in found:
            kind = "NVIDIA GPUs" if stack.accelerators == "nvidia" else "Trainium or Inferentia"
            raise UserError(f"{stack.name}: the spec has no group with {kind}")
    if not found:
        raise UserError("the spec has no group with accelerators, and the images are for these")
    return found


def _bases(texts: tuple[str, ...], stacks: list[Stack]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, image = text.partition("=")
        if not equals or name not in {stack.name for stack in stacks}:
            raise UserError(
                f"--base {text[:120]!r} is not NAME=IMAGE of an image that is rendered",
                "--base pytorch=REGISTRY/REPOSITORY@sha256:DIGEST",
            )
        found[name] = image
    return found


def _rendered(
    cluster: Cluster, stacks: list[Stack], bases: dict[str, str], lock_path: Path, output: Path
) -> dict[Path, str]:
    from clusterwright.container_images.capabilities import compute_capabilities
    from clusterwright.container_images.dockerfile import build_files
    from clusterwright.container_images.requirements_files import requirements

    capabilities = compute_capabilities(cluster)
    if not capabilities and any(stack.accelerators == "nvidia" for stack in stacks):
        raise UserError("the compute capability of the spec's NVIDIA GPUs is unknown")
    artefacts = _artefacts(lock_path)
    texts: dict[Path, str] = {}
    for stack in stacks:
        image = build_files(
            stack,
            bases.get(stack.name),
            artefacts,
            capabilities,
            requirements(stack),
            list_file=str(lock_path),
        )
        texts |= {output / stack.name / name: text for name, text in image.files.items()}
    return texts


def _artefacts(lock_path: Path) -> tuple[Artefact, ...]:
    from clusterwright.artefacts.lock import LockError, read_lock

    try:
        return read_lock(lock_path)
    except LockError as error:
        raise UserError(
            str(error),
            "the file is images/artefacts.json of the repository; --lock names another one",
        ) from None
