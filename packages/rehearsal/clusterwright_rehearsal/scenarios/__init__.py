"""The scenarios, one file each; the guide is the docstring of `clusterwright_rehearsal.stage`."""
