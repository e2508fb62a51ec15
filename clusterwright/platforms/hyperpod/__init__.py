"""What both HyperPod platforms share."""
