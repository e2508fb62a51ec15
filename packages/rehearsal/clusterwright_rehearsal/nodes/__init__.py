"""The emulated machines and what surrounds them: images, network, metadata, names, databases."""
