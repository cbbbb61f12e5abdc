"""What can be benchmarked, by name. Standard library only: the command that starts benchmarks imports nothing else."""

WORKLOADS = ("mlp", "cnn", "resnet18", "gpt-small", "gpt-base")
KERNELS = ("gemm", "conv", "bandwidth")
SERIES = ("scale",)  # several workloads under one name
PLAIN = ("plain",)  # the same training steps as loops without tabgrad.compile
TRAINER = ("fit",)  # the trainer, beside the compiled steps of the same models
COLD = tuple(f"{kind}-{name}" for kind in ("cold", "cold-plain") for name in WORKLOADS)  # a process's first step
NAMES = WORKLOADS + PLAIN + SERIES + TRAINER + COLD + KERNELS
SCALES = ("full", "small")  # small: the same work in sizes for a software adapter
