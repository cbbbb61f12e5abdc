"""Schedules of the learning rate that few programs use, imported when they are first used."""
