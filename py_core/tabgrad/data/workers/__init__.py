"""Batches that are prepared beside the training: processes natively, threads in Node, Web Workers in a page.

A :class:`Crew` starts workers and carries messages; :mod:`prepare` answers them in the worker; :mod:`preparation` gives
out the work and puts the batches in order. Loaded with the first loader that asks for workers.
"""
