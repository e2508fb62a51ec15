"""What both HyperPod platforms have in common."""
