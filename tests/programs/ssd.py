"""A single-shot detector: default boxes, matching by overlap, and hard negative mining."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def point_form(boxes):
    return torch.cat((boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2), 1)


def center_size(boxes):
    return torch.cat(((boxes[:, 2:] + boxes[:, :2]) / 2, boxes[:, 2:] - boxes[:, :2]), 1)


def intersect(box_a, box_b):
    A, B = box_a.size(0), box_b.size(0)
    max_xy = torch.min(box_a[:, 2:].unsqueeze(1).expand(A, B, 2), box_b[:, 2:].unsqueeze(0).expand(A, B, 2))
    min_xy = torch.max(box_a[:, :2].unsqueeze(1).expand(A, B, 2), box_b[:, :2].unsqueeze(0).expand(A, B, 2))
    inter = torch.clamp((max_xy - min_xy), min=0)
    return inter[:, :, 0] * inter[:, :, 1]


def jaccard(box_a, box_b):
    inter = intersect(box_a, box_b)
    area_a = ((box_a[:, 2] - box_a[:, 0]) * (box_a[:, 3] - box_a[:, 1])).unsqueeze(1).expand_as(inter)
    area_b = ((box_b[:, 2] - box_b[:, 0]) * (box_b[:, 3] - box_b[:, 1])).unsqueeze(0).expand_as(inter)
    return inter / (area_a + area_b - inter)


def encode(matched, priors, variances=(0.1, 0.2)):
    g_cxcy = (matched[:, :2] + matched[:, 2:]) / 2 - priors[:, :2]
    g_cxcy /= variances[0] * priors[:, 2:]
    g_wh = (matched[:, 2:] - matched[:, :2]) / priors[:, 2:]
    g_wh = torch.log(g_wh) / variances[1]
    return torch.cat([g_cxcy, g_wh], 1)


def match(threshold, truths, priors, labels):
    overlaps = jaccard(truths, point_form(priors))
    best_prior_overlap, best_prior_idx = overlaps.max(1, keepdim=True)
    best_truth_overlap, best_truth_idx = overlaps.max(0, keepdim=True)
    best_truth_idx.squeeze_(0)
    best_truth_overlap.squeeze_(0)
    best_prior_idx.squeeze_(1)
    best_prior_overlap.squeeze_(1)
    best_truth_overlap.index_fill_(0, best_prior_idx, 2)
    for j in range(best_prior_idx.size(0)):
        best_truth_idx[best_prior_idx[j]] = j
    matches = truths[best_truth_idx]
    conf = labels[best_truth_idx] + 1
    conf[best_truth_overlap < threshold] = 0
    return encode(matches, priors), conf


class SSD(nn.Module):
    def __init__(self, num_classes=3, boxes=2):
        super().__init__()
        self.num_classes = num_classes
        self.base = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2, ceil_mode=True),
            nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(inplace=True),
        )  # fmt: skip
        self.extra = nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.loc = nn.ModuleList([nn.Conv2d(8, boxes * 4, 3, padding=1) for _ in range(2)])
        self.conf = nn.ModuleList([nn.Conv2d(8, boxes * num_classes, 3, padding=1) for _ in range(2)])
        self.register_buffer("priors", self.make_priors((4, 2)))

    @staticmethod
    def make_priors(sizes):
        mean = []
        for f in sizes:
            for i in range(f):
                for j in range(f):
                    cx, cy = (j + 0.5) / f, (i + 0.5) / f
                    mean += [cx, cy, 1.0 / f, 1.0 / f]
                    mean += [cx, cy, 1.4 / f, 0.7 / f]
        return torch.Tensor(mean).view(-1, 4).clamp_(max=1, min=0)

    def forward(self, x):
        sources = [self.base(x)]
        sources.append(F.relu(self.extra(sources[0]), inplace=True))
        loc, conf = [], []
        for x, l, c in zip(sources, self.loc, self.conf):
            loc.append(l(x).permute(0, 2, 3, 1).contiguous())
            conf.append(c(x).permute(0, 2, 3, 1).contiguous())
        loc = torch.cat([o.view(o.size(0), -1) for o in loc], 1)
        conf = torch.cat([o.view(o.size(0), -1) for o in conf], 1)
        return loc.view(loc.size(0), -1, 4), conf.view(conf.size(0), -1, self.num_classes)


def multibox_loss(predictions, targets, priors, num_classes=3, negpos_ratio=3):
    loc_data, conf_data = predictions
    num, num_priors = loc_data.size(0), priors.size(0)
    loc_t = torch.Tensor(num, num_priors, 4)
    conf_t = torch.zeros(num, num_priors, dtype=torch.long)
    for idx in range(num):
        truths, labels = targets[idx][:, :-1], targets[idx][:, -1].long()
        loc_t[idx], conf_t[idx] = match(0.5, truths, priors, labels)
    pos = conf_t > 0
    pos_idx = pos.unsqueeze(pos.dim()).expand_as(loc_data)
    loss_l = (F.smooth_l1_loss(loc_data, loc_t, reduction="none") * pos_idx).sum()
    loss_c = F.cross_entropy(conf_data.view(-1, num_classes), conf_t.view(-1), reduction="none").view(num, -1)
    mined = loss_c.detach().masked_fill(pos, 0)
    _, loss_idx = mined.sort(1, descending=True)
    _, idx_rank = loss_idx.sort(1)
    num_pos = pos.long().sum(1, keepdim=True)
    num_neg = torch.clamp(negpos_ratio * num_pos, max=pos.size(1) - 1)
    neg = idx_rank < num_neg.expand_as(idx_rank)
    loss_c = (loss_c * (pos | neg).float()).sum()
    N = num_pos.data.sum()
    return loss_l / N, loss_c / N


def main(steps, start):
    net = start(SSD())
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9, weight_decay=5e-4)
    targets = [
        torch.tensor([[0.1, 0.1, 0.4, 0.5, 0], [0.5, 0.55, 0.95, 0.9, 1]]),
        torch.tensor([[0.3, 0.2, 0.8, 0.7, 1]]),
    ]
    losses = []
    for _ in range(steps):
        images = torch.rand(2, 3, 8, 8)
        out = net(images)
        optimizer.zero_grad()
        loss_l, loss_c = multibox_loss(out, targets, net.priors)
        loss = loss_l + loss_c
        loss.backward()
        optimizer.step()
        losses += [loss_l.item(), loss_c.item()]
    return losses
