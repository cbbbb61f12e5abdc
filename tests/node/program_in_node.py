"""Runs in Pyodide over Dawn, in a folder that has ``program_replay.py``; its arguments are that script's."""

import sys

import program_replay

await program_replay.main(*sys.argv[1:])
