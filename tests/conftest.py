"""What all tests share. Skips are counted and listed with their reasons at the end of a run (``-ra``)."""

collect_ignore = ["bench"]  # benchmarks are programs of their own and never fail a run
