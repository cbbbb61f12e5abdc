"""Loops that repeat: a call that came before in the same place is recognised and not executed again.

What a user's code calls (ops, ``backward()``, ``optimizer.step()``, reads) is noted as a trace, a path in a tree. The
next time round each call is compared with the one that followed then: same function, same constants, tensors of the
same types in the same places. While they agree, results are *deferred*: tensors with a shape and no value. Where the
trace ran a program, the same program runs, on this round's tensors. Where a call differs, the deferred calls are
executed as they would have been, and the new call becomes another branch.

So Python runs as it is written, and a loop pays for one comparison per call. What this cannot follow (arguments that
are arrays, memory that is moved) is executed as always.

Trace trees: Gal, Probst & Franz 2006, "HotpathVM"; here the trace is of calls on tensors instead of bytecode.
"""
