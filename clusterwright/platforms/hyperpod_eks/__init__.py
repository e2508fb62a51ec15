"""HyperPod with EKS: `platform: hyperpod-eks`."""
