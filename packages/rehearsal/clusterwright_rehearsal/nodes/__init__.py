"""Emulated machines and their services: images, network, metadata, DNS, databases."""
