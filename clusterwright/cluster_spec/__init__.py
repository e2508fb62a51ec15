"""The spec: one reviewed YAML file per environment, read with positions, all errors at once."""

from clusterwright.cluster_spec.load import LoadedSpec, load_spec
from clusterwright.cluster_spec.problems import Path, Position, Problem, SpecErrors, path_text

__all__ = [
    "LoadedSpec",
    "Path",
    "Position",
    "Problem",
    "SpecErrors",
    "load_spec",
    "path_text",
]
