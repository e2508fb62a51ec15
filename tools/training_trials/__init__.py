"""Trials of the rendered FSDP2 job with PyTorch: deaths, signals, torn files, a full disk."""
