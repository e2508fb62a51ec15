"""Code that both HyperPod platforms share."""
