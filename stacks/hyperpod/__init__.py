"""Resources of both HyperPod platforms."""
