#!/usr/bin/env python3
"""Exports networks by PyTorch as case folders: torch_models.py OUTPUT [NAME...]

Needs torch, torchvision, onnx, onnxruntime, onnxscript and transformers from PyPI. Weights and inputs have seeds.
"""
import io
import pathlib
import sys
import warnings

import onnx
import torch
import torchvision
from torch import nn
from torch.nn import functional as F

from case_writer import write_case

networks = {}


def network(opset, is_new=False, dynamic=None, data_sets=1, tolerances=None):
    """Registers a function that returns a module and its inputs for a seed; `is_new`: exported by torch.export.
    `dynamic`: names of inputs, with the names of their dynamic dims."""
    def register(make):
        networks[make.__name__] = (make, opset, is_new, dynamic, data_sets, tolerances)
        return make
    return register


def export(module, inputs, opset, is_new, dynamic):
    buffer = io.BytesIO()
    names = list(dynamic) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_new:
            shapes = dynamic and tuple(dict.fromkeys(dims, torch.export.Dim.DYNAMIC) for dims in dynamic.values())
            program = torch.onnx.export(module, inputs, dynamo=True, opset_version=opset, input_names=names,
                                        dynamic_shapes=shapes, external_data=False, verbose=False)
            return program.model_proto
        torch.onnx.export(module, inputs, buffer, dynamo=False, opset_version=opset, input_names=names,
                          dynamic_axes=dynamic)
    return onnx.load_from_string(buffer.getvalue())


def main():
    out = pathlib.Path(sys.argv[1])
    for name, (make, opset, is_new, dynamic, data_sets, tolerances) in networks.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        torch.manual_seed(0)
        module, inputs_of = make()
        if not isinstance(module, torch.jit.ScriptModule):
            module = module.eval()
        torch.manual_seed(1)
        sets = [inputs_of(i) for i in range(data_sets)]
        try:
            model = export(module, sets[0], opset, is_new, dynamic)
            write_case(out / name, model, *[[x.numpy() for x in inputs] for inputs in sets], tolerances=tolerances)
        except Exception as error:  # noqa: BLE001
            print(f"FAILED {name}: {type(error).__name__}: {str(error)[:600]}", file=sys.stderr)


def images(channels=3, size=16):
    return lambda i: (torch.randn(2 + i, channels, size, size),)


def randomized(module):
    """Running statistics and affine parameters that are not 0 and 1."""
    for layer in module.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            nn.init.normal_(layer.running_mean, std=0.3)
            nn.init.uniform_(layer.running_var, 0.5, 2)
        if isinstance(layer, (nn.modules.batchnorm._BatchNorm, nn.LayerNorm, nn.GroupNorm)):
            nn.init.uniform_(layer.weight, 0.5, 1.5)
            nn.init.normal_(layer.bias, std=0.3)
    return module


# Convolutional networks.

@network(opset=11, dynamic={"image": {0: "N"}}, data_sets=2)
def cnn():
    return randomized(nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, stride=2),
        nn.LeakyReLU(0.1), nn.AvgPool2d(2, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
        nn.Softmax(dim=1))), images()


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer), nn.ReLU(),
                                  nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer))
        self.shortcut = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


@network(opset=18, is_new=True, dynamic={"image": {0: "N"}}, data_sets=2)
def resnet():
    return randomized(nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
                                    nn.MaxPool2d(3, 2, 1), Residual(8, 8, 1), Residual(8, 16, 2),
                                    nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(16, 10))), images(size=32)


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 4, 1), nn.ReLU(),
                                  nn.Conv2d(4, channels, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.gate(x)


@network(opset=14, dynamic={"image": {0: "N", 2: "H", 3: "W"}}, data_sets=2)
def mobile_blocks():
    return randomized(nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.Hardswish(), nn.Conv2d(8, 8, 5, 1, 2, groups=8), nn.ReLU6(),
        SqueezeExcite(8), nn.Conv2d(8, 12, 1), nn.SiLU(), nn.PReLU(12), nn.Conv2d(12, 12, 3, dilation=2),
        nn.ELU())), lambda i: (torch.randn(1, 3, 24 + 8 * i, 20),)


class Shuffle(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 3, padding=1, groups=4)

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        x = torch.cat([a, self.second(F.relu(self.first(b)))], dim=1)
        n, c, h, w = x.shape
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


@network(opset=13, dynamic={"image": {0: "N", 2: "H"}}, data_sets=2)
def channel_shuffle():
    return nn.Sequential(Shuffle(), Shuffle()), lambda i: (torch.randn(1 + i, 8, 6 + i, 5),)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.GroupNorm(2, 6), nn.GELU())
        self.middle = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1), nn.InstanceNorm2d(8), nn.Mish())
        self.up = nn.ConvTranspose2d(8, 6, 3, 2, 1, output_padding=1)
        self.last = nn.Conv2d(12, 2, 1)

    def forward(self, x):
        skipped = self.down(F.pad(x, (1, 1, 1, 1), mode="reflect"))
        x = torch.cat([self.up(self.middle(skipped)), skipped], dim=1)
        return F.interpolate(self.last(x), scale_factor=2, mode="bilinear", align_corners=False)


@network(opset=17)
def unet():
    return randomized(UNet()), lambda i: (torch.randn(1, 2, 10, 14),)


class Resizes(nn.Module):
    def forward(self, x):
        return (F.interpolate(x, size=(9, 5), mode="nearest"), F.interpolate(x, scale_factor=1.5, mode="bicubic"),
                F.interpolate(x, size=(11, 3), mode="bilinear", align_corners=True), F.pixel_shuffle(x, 2))


@network(opset=16)
def resizes():
    return Resizes(), lambda i: (torch.randn(1, 4, 6, 6),)


class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 6)

    def forward(self, x):
        theta = self.head(x.mean(dim=(2, 3))).view(-1, 2, 3) + torch.tensor([[1.0, 0, 0], [0, 1.0, 0]])
        grid = F.affine_grid(theta, [x.shape[0], 3, 8, 8], align_corners=False)
        return F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)


@network(opset=20, is_new=True)
def spatial_transformer():
    return SpatialTransformer(), lambda i: (torch.randn(2, 3, 10, 12),)


@network(opset=15, dynamic={"clip": {0: "N"}})
def conv3d():
    return randomized(nn.Sequential(nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4), nn.Softplus(),
                                    nn.MaxPool3d(2), nn.ConvTranspose3d(4, 2, 2, 2),
                                    nn.AvgPool3d(2))), lambda i: (torch.randn(1, 2, 4, 6, 6),)


# Transformers.

class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        self.positions = nn.Parameter(torch.randn(1, 17, 16))
        layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(16), enable_nested_tensor=False)
        self.head = nn.Linear(16, 5)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.head(self.encoder(x)[:, 0])


@network(opset=20, is_new=True, dynamic={"image": {0: "N"}}, data_sets=2)
def vision_transformer():
    return randomized(VisionTransformer()), images()


class Translation(nn.Module):
    def __init__(self):
        super().__init__()
        self.source, self.target = nn.Embedding(20, 16), nn.Embedding(20, 16)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1,
                                        enable_nested_tensor=False)
        self.model = nn.Transformer(16, 2, 1, 1, 32, batch_first=True, custom_encoder=encoder)
        self.head = nn.Linear(16, 20)

    def forward(self, source, target):
        mask = torch.triu(torch.full((target.shape[1], target.shape[1]), float("-inf")), diagonal=1)
        padding = source == 0
        x = self.model(self.source(source), self.target(target), tgt_mask=mask, tgt_is_causal=True,
                       src_key_padding_mask=padding, memory_key_padding_mask=padding)
        return self.head(x).log_softmax(dim=-1)


@network(opset=18, is_new=True, dynamic={"source": {1: "S"}, "target": {1: "T"}}, data_sets=2)
def encoder_decoder():
    def inputs(i):
        source = torch.randint(1, 20, (2, 6 + i))
        source[0, -2:] = 0
        return source, torch.randint(1, 20, (2, 4 + i))
    return randomized(Translation()), inputs


class OutputOnly(nn.Module):
    """The first output of a model of transformers."""

    def __init__(self, model, **fixed):
        super().__init__()
        self.model, self.fixed = model, fixed

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask, **self.fixed)[0]


def tokens(i):
    mask = torch.ones(2, 6 + i, dtype=torch.int64)
    mask[1, 4:] = 0
    return torch.randint(0, 30, (2, 6 + i)), mask


TOKENS = {"ids": {0: "N", 1: "S"}, "mask": {0: "N", 1: "S"}}


@network(opset=18, is_new=True, dynamic=TOKENS, data_sets=2)
def bert():
    from transformers import BertConfig, BertModel
    return OutputOnly(BertModel(BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                           intermediate_size=32, max_position_embeddings=16))), tokens


@network(opset=18, is_new=True, dynamic=TOKENS, data_sets=2)
def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    return OutputOnly(GPT2LMHeadModel(GPT2Config(vocab_size=30, n_embd=16, n_layer=2, n_head=2, n_positions=16)),
                      use_cache=False), tokens


@network(opset=18, is_new=True, dynamic=TOKENS, data_sets=2)
def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                         num_key_value_heads=2, intermediate_size=32, max_position_embeddings=16)
    return OutputOnly(LlamaForCausalLM(config), use_cache=False), tokens


# Recurrent networks.

class Recurrent(nn.Module):
    def __init__(self, kind, is_padded=False, **options):
        super().__init__()
        self.rnn = kind(5, 6, batch_first=True, **options)
        self.is_padded = is_padded

    def forward(self, x, lengths=None):
        if not self.is_padded:
            return self.rnn(x)[0]
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, state = self.rnn(packed)
        return nn.utils.rnn.pad_packed_sequence(y, batch_first=True)[0], state


@network(opset=14, dynamic={"x": {0: "N", 1: "T"}}, data_sets=2)
def lstm_two_layers():
    return Recurrent(nn.LSTM, num_layers=2, bidirectional=True), lambda i: (torch.randn(2, 4 + i, 5),)


@network(opset=14, dynamic={"x": {0: "N", 1: "T"}, "lengths": {0: "N"}})
def gru_with_lengths():
    return (Recurrent(nn.GRU, is_padded=True, bidirectional=True),
            lambda i: (torch.randn(3, 5, 5), torch.tensor([5, 3, 2])))


@network(opset=9, dynamic={"x": {1: "T"}})
def rnn():
    return Recurrent(nn.RNN, nonlinearity="relu"), lambda i: (torch.randn(2, 4, 5),)


# Control flow.

@torch.jit.script
def _power_sum(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(x)
    for i in range(int(count)):
        total = total * x + float(i)
    return total


class LoopModel(nn.Module):
    def forward(self, x, count):
        return _power_sum(x, count)


@network(opset=13, data_sets=3)
def loop():
    return torch.jit.script(LoopModel()), lambda i: (torch.randn(3), torch.tensor(2 * i))


@torch.jit.script
def _choose(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        if x.shape[0] > 2:
            return x.relu() * 2
        return x - 1
    else:
        return torch.cat([x, x], dim=0).exp()


class IfModel(nn.Module):
    def forward(self, x):
        return _choose(x)


@network(opset=16, dynamic={"x": {0: "N"}}, data_sets=3)
def branches():
    return torch.jit.script(IfModel()), lambda i: ((torch.arange(6.0).reshape(3, 2) - 8 * (i == 1))[:3 - i // 2],)


@torch.jit.script
def _greedy(state: torch.Tensor, weight: torch.Tensor, embedding: torch.Tensor, limit: int) -> torch.Tensor:
    token = torch.zeros([1], dtype=torch.int64)
    tokens = [token]
    step = 0
    while step < limit and int(token) != 7:
        state = torch.tanh(state @ weight + embedding.index_select(0, token))
        token = torch.argmax(state @ embedding.t(), dim=1)
        tokens.append(token)
        step += 1
    return torch.stack(tokens)


class GreedyDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.embedding = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(8, 4))

    def forward(self, state):
        return _greedy(state, self.weight, self.embedding, 6)


@network(opset=13, data_sets=2)
def greedy_decoder():
    return torch.jit.script(GreedyDecoder()), lambda i: (torch.randn(1, 4),)


# Detection.

class Detector(nn.Module):
    """One level of anchors, decoded, with the best boxes after non-maximum suppression."""

    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 8, 3, 4, 1)
        self.scores, self.boxes = nn.Conv2d(8, 2, 1), nn.Conv2d(8, 4, 1)

    def forward(self, image):
        x = self.body(image).relu()
        scores = self.scores(x).flatten(2)[0].sigmoid()
        deltas = self.boxes(x).flatten(2)[0].t()
        rows, columns = torch.meshgrid(torch.arange(x.shape[2]), torch.arange(x.shape[3]), indexing="ij")
        centers = torch.stack([columns.flatten(), rows.flatten()], dim=1).float() * 4 + 2
        middle = centers + deltas[:, :2]
        size = 6 * deltas[:, 2:].clamp(max=1).exp()
        boxes = torch.cat([middle - size / 2, middle + size / 2], dim=1).clamp(0, 32)
        best, label = scores.max(dim=0)
        keep = torchvision.ops.nms(boxes, best, 0.4)
        count = torch.minimum(torch.tensor(keep.shape[0]), torch.tensor(10))
        top, order = best[keep].topk(count)
        return boxes[keep][order], top, label[keep][order]


@network(opset=17, dynamic={"image": {2: "H", 3: "W"}}, data_sets=2)
def detector():
    return Detector(), lambda i: (torch.randn(1, 3, 32 + 8 * i, 32),)


class RoiHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4 * 9, 3)

    def forward(self, features, rois):
        return self.head(torchvision.ops.roi_align(features, [rois], 3, 0.5, 2).flatten(1))


@network(opset=16, dynamic={"features": {}, "rois": {0: "R"}}, data_sets=2)
def roi_head():
    boxes = torch.tensor([[0.0, 0, 8, 8], [2, 3, 11, 9], [5, 1, 6, 15]])
    return RoiHead(), lambda i: (torch.randn(1, 4, 8, 8), boxes[i:])


# Others.

class GraphConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.message, self.update = nn.Linear(4, 6), nn.Linear(10, 4)

    def forward(self, nodes, edges):
        messages = self.message(nodes[edges[0]])
        sums = torch.zeros(nodes.shape[0], 6).index_add(0, edges[1], messages)
        return torch.tanh(self.update(torch.cat([nodes, sums], dim=1)))


@network(opset=18, dynamic={"nodes": {0: "V"}, "edges": {1: "E"}}, data_sets=2)
def graph_convolution():
    return GraphConvolution(), lambda i: (torch.randn(5 + i, 4), torch.randint(0, 5, (2, 9 + i)))


class ShapeArithmetic(nn.Module):
    def forward(self, x, lengths):
        n, t, _ = x.shape
        valid = torch.arange(t).unsqueeze(0).expand(n, t) < lengths.unsqueeze(1)
        x = torch.where(valid.unsqueeze(2), x, torch.zeros(()))
        mean = x.sum(dim=1) / lengths.unsqueeze(1).clamp(min=1)
        steps = x.view(n * t, -1)[:, ::2].reshape(n, t, -1)
        return mean, steps.flip(1), x.cumsum(dim=1)[:, -1], valid.nonzero()


@network(opset=17, dynamic={"x": {0: "N", 1: "T"}, "lengths": {0: "N"}}, data_sets=2)
def shape_arithmetic():
    return ShapeArithmetic(), lambda i: (torch.randn(2 + i, 5 + i, 4), torch.tensor([3, 0, 5])[:2 + i])


class IndexOps(nn.Module):
    def forward(self, x, index):
        values, order = x.sort(dim=1, descending=True)
        top, where = x.topk(3, dim=1)
        return (values, order, top, where, x.gather(1, index), x.scatter(1, index, torch.full_like(index, 2).float()),
                torch.einsum("ij,kj->ik", x, top @ values[:3]), x.argmax(dim=1), (x > 0).any(dim=1), x.fmod(0.7),
                torch.floor_divide(order, 2), x.round().to(torch.int32).bitwise_and(3))


# The exporter writes a loop without a trip count, whose body needs its index to be known.
@network(opset=18, is_new=True)
def embedding_bag():
    return nn.EmbeddingBag(20, 8, mode="mean"), lambda i: (torch.randint(0, 20, (3, 5)),)


@network(opset=18, is_new=True)
def index_ops():
    return IndexOps(), lambda i: (torch.randn(4, 6), torch.randint(0, 6, (4, 2)))


@network(opset=13, tolerances=(5e-3, 1e-3))
def half_precision():
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4),
                         nn.Sigmoid()).half(), lambda i: (torch.randn(3, 8).half(),)


if __name__ == "__main__":
    main()
