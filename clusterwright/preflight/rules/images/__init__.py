"""Machine images, HyperPod releases and drivers."""
