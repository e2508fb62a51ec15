"""The dashboard of file systems."""

from __future__ import annotations

from tests.support.monitored_clusters import GPUS, panels


def test_space_is_a_share_of_shared_file_systems() -> None:
    found = panels("storage", GPUS)
    for title, free, total in (
        ("Space in use", "avail_bytes", "size_bytes"),
        ("Inodes in use", "files_free", "files"),
    ):
        [query] = found[f"Shared file systems: space: {title}"].queries
        chosen = '{cluster="$cluster",fstype=~"lustre|nfs|nfs4"}'
        assert query.expression == (
            f"max by (mountpoint) (1 - node_filesystem_{free}{chosen}"
            f" / (node_filesystem_{total}{chosen} > 0))"
        )


def test_a_preload_is_shown_only_where_the_spec_has_one() -> None:
    preloaded = panels("storage", "configs/examples/full-hyperpod-slurm.yaml")
    assert "Lustre: traffic: Preload from S3" in preloaded
    assert "Lustre: traffic: Preload from S3" not in panels("storage", GPUS)
