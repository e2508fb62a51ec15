"""What each platform can take, as data and arithmetic; used by checks, cost and stacks alike."""

from clusterwright.platforms.loading import load_cluster

__all__ = ["load_cluster"]
