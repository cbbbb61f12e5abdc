"""Measures that are imported when they are first used."""
