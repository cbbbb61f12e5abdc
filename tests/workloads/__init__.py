"""Models whose first losses are known: parameters, batches, the step, and the losses that PyTorch reports for them.

Numbers are a function of a seed and a counter, so that any library in any language can make the same ones.
``WORKLOADS`` have the sizes that are benchmarked; ``SMALL`` are the same models in sizes that run anywhere.
Importable without torch or pytest, so that it runs inside Pyodide too.
"""

from workloads.cnn import CNN, SMALL_CNN
from workloads.gpt import GPT_BASE, GPT_SMALL, SMALL_GPT_BASE, SMALL_GPT_SMALL
from workloads.mlp import MLP, SMALL_MLP
from workloads.resnet import RESNET18, SMALL_RESNET18
from workloads.scale import SCALE, SMALL_SCALE
from workloads.streams import mulberry
from workloads.workload import Batch, Start, Workload, initial, plain_step, training_step

WORKLOADS = (MLP, CNN, RESNET18, GPT_SMALL, GPT_BASE)
SMALL = (SMALL_MLP, SMALL_CNN, SMALL_RESNET18, SMALL_GPT_SMALL, SMALL_GPT_BASE)
