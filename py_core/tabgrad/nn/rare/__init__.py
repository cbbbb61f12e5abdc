"""Layers that few programs use: each file is imported when one of its classes is first used."""
