"""Names classified letter by letter with a recurrent cell written by hand."""

import torch
import torch.nn as nn
import torch.nn.functional as F

letters = "abcdefgh"
names = {0: ["abc", "bad", "cab"], 1: ["feed", "egg", "hehe"]}


def letter_to_tensor(letter):
    tensor = torch.zeros(1, len(letters))
    tensor[0][letters.index(letter)] = 1
    return tensor


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(letters))
    for li, letter in enumerate(line):
        tensor[li][0][letters.index(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size, hidden_size)
        self.h2h = nn.Linear(hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = F.tanh(self.i2h(input) + self.h2h(hidden))
        output = self.softmax(self.h2o(hidden))
        return output, hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


def main(steps, start):
    assert letter_to_tensor("b").tolist()[0][1] == 1
    rnn = start(RNN(len(letters), 8, 2))
    criterion = nn.NLLLoss()
    learning_rate = 0.05
    losses = []
    for step in range(steps):
        category = step % 2
        line = names[category][step % 3]
        category_tensor = torch.tensor([category], dtype=torch.long)
        line_tensor = line_to_tensor(line)
        hidden = rnn.init_hidden()
        rnn.zero_grad()
        for i in range(line_tensor.size()[0]):
            output, hidden = rnn(line_tensor[i], hidden)
        loss = criterion(output, category_tensor)
        loss.backward()
        for p in rnn.parameters():
            p.data.add_(p.grad.data, alpha=-learning_rate)
        top_n, top_i = output.topk(1)
        assert top_i[0].item() in (0, 1)
        losses += [loss.item(), top_n.item()]
    return losses
