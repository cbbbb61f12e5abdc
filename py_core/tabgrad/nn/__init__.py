"""Layers, losses and containers, with PyTorch's names, arguments and parameter names."""

from tabgrad.explained import explain_all as _explain_all
from tabgrad.nn import functional, init, utils
from tabgrad.nn.activation import ELU, GELU, Identity, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from tabgrad.nn.attention import MultiheadAttention
from tabgrad.nn.batchnorm import BatchNorm1d, BatchNorm2d
from tabgrad.nn.containers import ModuleDict, ModuleList, Sequential
from tabgrad.nn.conv import Conv2d
from tabgrad.nn.dropout import Dropout
from tabgrad.nn.embedding import Embedding
from tabgrad.nn.flatten import Flatten
from tabgrad.nn.groupnorm import GroupNorm
from tabgrad.nn.layernorm import LayerNorm
from tabgrad.nn.linear import Linear
from tabgrad.nn.loss import BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.nn.pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
from tabgrad.nn.rmsnorm import RMSNorm

__all__ = [
    "ELU",
    "GELU",
    "AdaptiveAvgPool2d",
    "AvgPool2d",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "Parameter",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "functional",
    "init",
    "utils",
]

_explain_all(globals(), [name for name in __all__ if name not in ("Module", "Parameter")])
