"""Segmentation and detection networks of full width as ONNX models, with random weights: for networks.py --built."""

import numpy as np


class Net:
    """An ONNX model under construction. Values are names; `shape` knows their dims."""

    def __init__(self, size, channels=3):
        self.nodes, self.weights, self.shape = [], [], {"x": (1, channels, size, size)}
        self.random = np.random.default_rng(1)

    def weight(self, values, dtype=np.float32):
        from onnx import numpy_helper

        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def op(self, kind, inputs, shape, **attributes):
        from onnx import helper

        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self.shape[name] = tuple(int(dim) for dim in shape)
        return name

    def act(self, x, kind):
        if kind is None:
            return x
        if kind == "swish":
            return self.op("Mul", [x, self.op("Sigmoid", [x], self.shape[x])], self.shape[x])
        if kind == "hswish":
            return self.op("HardSwish", [x], self.shape[x])
        if kind == "leaky":
            return self.op("LeakyRelu", [x], self.shape[x], alpha=0.1)
        return self.op({"relu": "Relu", "sigmoid": "Sigmoid", "hsigmoid": "HardSigmoid", "gelu": "Gelu"}[kind], [x],
                       self.shape[x])

    def conv(self, x, outputs, kernel=1, stride=1, act="relu", groups=1, dilation=1, norm=True, pad=None):
        """A convolution with batch normalization and an activation."""
        batch, channels, *image = self.shape[x]
        pad = dilation * (kernel - 1) // 2 if pad is None else pad
        image = [(dim + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1 for dim in image]
        values = self.random.standard_normal((outputs, channels // groups, kernel, kernel))
        inputs = [x, self.weight(values * np.sqrt(1.5 / (channels // groups) / kernel**2))]
        if not norm:
            inputs.append(self.weight(self.random.standard_normal(outputs) * 0.1))
        y = self.op("Conv", inputs, (batch, outputs, *image), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                    dilations=[dilation] * 2, group=groups, pads=[pad] * 4)
        if norm:
            ones, small = 1 + 0.1 * self.random.random((2, outputs)), 0.1 * self.random.standard_normal((2, outputs))
            y = self.op("BatchNormalization", [y] + [self.weight(v) for v in (ones[0], small[0], small[1], ones[1])],
                        self.shape[y])
        return self.act(y, act)

    def deconv(self, x, outputs, kernel=4, stride=2):
        """A transposed convolution that enlarges the image, with batch normalization and ReLU."""
        batch, channels, *image = self.shape[x]
        values = self.random.standard_normal((channels, outputs, kernel, kernel)) / np.sqrt(channels * kernel)
        pad = (kernel - stride) // 2
        y = self.op("ConvTranspose", [x, self.weight(values), self.weight(np.zeros(outputs))],
                    (batch, outputs, *[dim * stride for dim in image]), kernel_shape=[kernel] * 2,
                    strides=[stride] * 2, pads=[pad] * 4)
        return self.act(y, "relu")

    def conv_of(self, x, outputs, kernel, stride=1, pad=None, act="relu"):
        """A convolution as conv(), whose kernel may have a height and a width."""
        if isinstance(kernel, int):
            return self.conv(x, outputs, kernel, stride, act, pad=pad)
        batch, channels, *image = self.shape[x]
        values = self.random.standard_normal((outputs, channels, *kernel)) * np.sqrt(1.5 / channels / np.prod(kernel))
        inputs = [x, self.weight(values), self.weight(self.random.standard_normal(outputs) * 0.1)]
        y = self.op("Conv", inputs, (batch, outputs, *image), kernel_shape=kernel,
                    pads=[dim // 2 for dim in kernel] * 2)
        return self.act(y, act)

    def depthwise(self, x, kernel=3, stride=1, act="relu", dilation=1):
        return self.conv(x, self.shape[x][1], kernel, stride, act, self.shape[x][1], dilation)

    def add(self, x, y, act=None):
        return self.act(self.op("Add", [x, y], np.broadcast_shapes(self.shape[x], self.shape[y])), act)

    def mul(self, x, y):
        return self.op("Mul", [x, y], np.broadcast_shapes(self.shape[x], self.shape[y]))

    def concat(self, *values):
        batch, _, *image = self.shape[values[0]]
        return self.op("Concat", list(values), (batch, sum(self.shape[v][1] for v in values), *image), axis=1)

    def split(self, x, count=2):
        from onnx import helper

        batch, channels, *image = self.shape[x]
        names = [f"s{len(self.nodes)}_{i}" for i in range(count)]
        sizes = self.weight([channels // count] * count, np.int64)
        self.nodes.append(helper.make_node("Split", [x, sizes], names, axis=1))
        for name in names:
            self.shape[name] = (batch, channels // count, *image)
        return names

    def pool(self, x, kernel=3, stride=2, kind="MaxPool", pad=None):
        batch, channels, *image = self.shape[x]
        pad = (kernel - 1) // 2 if pad is None else pad
        image = [(dim + 2 * pad - kernel) // stride + 1 for dim in image]
        return self.op(kind, [x], (batch, channels, *image), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                       pads=[pad] * 4)

    def mean(self, x):
        return self.op("GlobalAveragePool", [x], (*self.shape[x][:2], 1, 1))

    def resize(self, x, like, mode="linear"):
        """To the size of the images of another value."""
        shape = (*self.shape[x][:2], *self.shape[like][2:])
        rule = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"} if mode == "nearest" else {}
        return self.op("Resize", [x, "", "", self.weight(shape, np.int64)], shape, mode=mode, **rule)

    def gate(self, x, reduction=4, act="hsigmoid"):
        """Squeeze and excitation."""
        channels = self.shape[x][1]
        y = self.conv(self.mean(x), channels // reduction, norm=False)
        return self.mul(x, self.conv(y, channels, act=act, norm=False))

    # Matrices of transformers

    def reshape(self, x, *shape):
        return self.op("Reshape", [x, self.weight(shape, np.int64)], shape)

    def permute(self, x, *axes):
        return self.op("Transpose", [x], [self.shape[x][axis] for axis in axes], perm=axes)

    def matmul(self, x, y):
        return self.op("MatMul", [x, y], (*self.shape[x][:-1], self.shape[y][-1]))

    def linear(self, x, outputs, act=None):
        inputs = self.shape[x][-1]
        weight = self.weight(self.random.standard_normal((inputs, outputs)) / np.sqrt(inputs))
        y = self.op("MatMul", [x, weight], (*self.shape[x][:-1], outputs))
        return self.act(self.op("Add", [y, self.weight(np.zeros(outputs))], self.shape[y]), act)

    def layer_norm(self, x):
        size = self.shape[x][-1]
        scale, bias = self.weight(np.ones(size)), self.weight(np.zeros(size))
        return self.op("LayerNormalization", [x, scale, bias], self.shape[x])

    def tokens(self, x):
        batch, channels, height, width = self.shape[x]
        return self.permute(self.reshape(x, batch, channels, height * width), 0, 2, 1)

    def image(self, x, like):
        batch, _, channels = self.shape[x]
        return self.reshape(self.permute(x, 0, 2, 1), batch, channels, *self.shape[like][2:])

    def attention(self, queries, keys, heads, values=None):
        size = self.shape[queries][-1]
        split = lambda v: self.reshape(v, 1, self.shape[v][1], heads, size // heads)
        q = self.permute(split(self.linear(queries, size)), 0, 2, 1, 3)
        k = self.permute(split(self.linear(keys, size)), 0, 2, 3, 1)
        v = self.permute(split(self.linear(values or keys, size)), 0, 2, 1, 3)
        scores = self.matmul(q, k)
        scores = self.op("Mul", [scores, self.weight(1 / np.sqrt(size // heads))], self.shape[scores])
        y = self.matmul(self.op("Softmax", [scores], self.shape[scores], axis=-1), v)
        return self.linear(self.reshape(self.permute(y, 0, 2, 1, 3), 1, self.shape[queries][1], size), size)

    def classes(self, x, count=19, like="x"):
        """The class of each pixel."""
        y = self.resize(self.conv(x, count, act=None, norm=False), like)
        return self.op("ArgMax", [y], (1, *self.shape[y][2:]), axis=1, keepdims=0)

    def model(self, *results):
        from onnx import TensorProto, helper

        integers = {node.output[0] for node in self.nodes if node.op_type == "ArgMax"}
        outputs = [helper.make_tensor_value_info(name, TensorProto.INT64 if name in integers else TensorProto.FLOAT,
                                                 self.shape[name]) for name in results]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape["x"])]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
        model.ir_version = 9
        return model.SerializeToString()


# Backbones


def bottleneck(net, x, width, stride, dilation, expansion=4):
    y = net.conv(net.conv(x, width), width, 3, stride, dilation=dilation)
    y = net.conv(y, width * expansion, act=None)
    if net.shape[x] != net.shape[y]:
        x = net.conv(x, width * expansion, 1, stride, act=None)
    return net.add(x, y, "relu")


def basic(net, x, width, stride=1, dilation=1):
    y = net.conv(net.conv(x, width, 3, stride, dilation=dilation), width, 3, act=None, dilation=dilation)
    if net.shape[x] != net.shape[y]:
        x = net.conv(x, width, 1, stride, act=None)
    return net.add(x, y, "relu")


def resnet50(net, output_stride=32, deep=True):
    x = "x"
    if deep:  # ResNet50-vd
        for width, stride in ((32, 2), (32, 1), (64, 1)):
            x = net.conv(x, width, 3, stride)
    else:
        x = net.conv(x, 64, 7, 2)
    x, stages, stride, dilation = net.pool(x), [], 4, 1
    for width, depth in ((64, 3), (128, 4), (256, 6), (512, 3)):
        step = 1 if width == 64 else 2
        if stride * step > output_stride:
            step, dilation = 1, dilation * 2
        stride *= step
        for block in range(depth):
            x = bottleneck(net, x, width, step if block == 0 else 1, dilation)
        stages.append(x)
    return stages


def resnet18(net):
    x, stages = net.pool(net.conv("x", 64, 7, 2)), []
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        x = basic(net, basic(net, x, width, stride), width)
        stages.append(x)
    return stages


def mobilenet_v3(net):
    x, stages = net.conv("x", 16, 3, 2, "hswish"), []
    rows = ((3, 16, 16, 0, "relu", 1), (3, 64, 24, 0, "relu", 2), (3, 72, 24, 0, "relu", 1), (5, 72, 40, 1, "relu", 2),
            (5, 120, 40, 1, "relu", 1), (5, 120, 40, 1, "relu", 1), (3, 240, 80, 0, "hswish", 2),
            (3, 200, 80, 0, "hswish", 1), (3, 184, 80, 0, "hswish", 1), (3, 184, 80, 0, "hswish", 1),
            (3, 480, 112, 1, "hswish", 1), (3, 672, 112, 1, "hswish", 1), (5, 672, 160, 1, "hswish", 2),
            (5, 960, 160, 1, "hswish", 1), (5, 960, 160, 1, "hswish", 1))
    for kernel, middle, outputs, gate, act, stride in rows:
        if stride == 2:
            stages.append(x)
        y = net.depthwise(net.conv(x, middle, act=act), kernel, stride, act)
        y = net.conv(net.gate(y) if gate else y, outputs, act=None)
        x = net.add(x, y) if net.shape[x] == net.shape[y] else y
    return stages + [x]


def stdc(net):
    def block(x, width, stride):
        parts = [net.conv(x, width // 2)]
        y = net.depthwise(parts[0], 3, 2, None) if stride == 2 else parts[0]
        first = net.pool(parts[0], 3, 2, "AveragePool") if stride == 2 else parts[0]
        parts = [first]
        for i, share in enumerate((4, 8, 8)):
            y = net.conv(y, width // share, 3)
            parts.append(y)
        return net.concat(*parts)

    x, stages = net.conv(net.conv("x", 32, 3, 2), 64, 3, 2), []
    for width in (256, 512, 1024):
        x = block(block(x, width, 2), width, 1)
        stages.append(x)
    return stages


def fpn(net, stages, width=256):
    sides = [net.conv(x, width, act=None, norm=False) for x in stages]
    for i in reversed(range(len(sides) - 1)):
        sides[i] = net.add(sides[i], net.resize(sides[i + 1], sides[i], "nearest"))
    return [net.conv(x, width, 3, act=None, norm=False) for x in sides]


# Segmentation


def aspp(net, x, rates, width=256):
    parts = [net.conv(x, width)] + [net.conv(x, width, 3, dilation=rate) for rate in rates]
    parts.append(net.resize(net.conv(net.mean(x), width), x))
    return net.conv(net.concat(*parts), width)


def deeplabv3(size):
    net = Net(size)
    x = aspp(net, resnet50(net, 8)[-1], (12, 24, 36))
    return net.model(net.classes(net.conv(x, 256, 3)))


def deeplabv3p(size):
    net = Net(size)
    stages = resnet50(net, 16)
    x = aspp(net, stages[-1], (6, 12, 18))
    x = net.concat(net.resize(x, stages[0]), net.conv(stages[0], 48))
    for _ in range(2):
        x = net.conv(net.depthwise(x, act=None), 256)
    return net.model(net.classes(x))


def pspnet(net_size):
    net = Net(net_size)
    x = resnet50(net, 8)[-1]
    parts = [x]
    for bins in (1, 2, 4):
        cell = net.shape[x][2] // bins
        parts.append(net.resize(net.conv(net.pool(x, cell, cell, "AveragePool", 0), 512), x))
    return net.model(net.classes(net.conv(net.concat(*parts), 512, 3)))


def fcn_hrnet(size):
    net = Net(size)
    x = net.conv(net.conv("x", 64, 3, 2), 64, 3, 2)
    for _ in range(4):
        x = bottleneck(net, x, 64, 1, 1)
    branches = [net.conv(x, 18, 3), net.conv(x, 36, 3, 2)]
    for stage, modules in ((2, 1), (3, 4), (4, 3)):
        if stage > 2:
            branches.append(net.conv(branches[-1], 18 * 2 ** (stage - 1), 3, 2))
        for _ in range(modules):
            for i, width in enumerate((18, 36, 72, 144)[:stage]):
                for _ in range(4):
                    branches[i] = basic(net, branches[i], width)
            fused = []
            for i in range(stage):
                total = branches[i]
                for j in range(stage):
                    y = branches[j]
                    if j > i:
                        y = net.resize(net.conv(y, 18 * 2**i, act=None), branches[i])
                    for k in range(j, i):
                        y = net.conv(y, 18 * 2 ** (i if k == i - 1 else j), 3, 2, None if k == i - 1 else "relu")
                    total = net.add(total, y) if j != i else total
                fused.append(net.act(total, "relu"))
            branches = fused
    x = net.concat(branches[0], *[net.resize(y, branches[0]) for y in branches[1:]])
    return net.model(net.classes(net.conv(x, 270)))


def bisenetv1(size):
    net = Net(size)
    detail = net.conv("x", 64, 7, 2)
    detail = net.conv(net.conv(net.conv(detail, 64, 3, 2), 64, 3, 2), 128)
    stages = resnet18(net)
    refine = lambda x: (lambda y: net.mul(y, net.conv(net.mean(y), 128, act="sigmoid")))(net.conv(x, 128, 3))
    y = net.add(refine(stages[3]), net.conv(net.mean(stages[3]), 128))
    y = net.conv(net.resize(y, stages[2]), 128, 3)
    y = net.conv(net.resize(net.add(refine(stages[2]), y), stages[1]), 128, 3)
    x = net.conv(net.concat(detail, y), 256)
    gate = net.conv(net.conv(net.mean(x), 64, norm=False), 256, act="sigmoid", norm=False)
    return net.model(net.classes(net.conv(net.add(x, net.mul(x, gate)), 256, 3)))


def bisenetv2(size):
    net = Net(size)
    detail = "x"
    for width, depth in ((64, 2), (64, 3), (128, 3)):
        for i in range(depth):
            detail = net.conv(detail, width, 3, 2 if i == 0 else 1)
    x = net.conv("x", 16, 3, 2)
    left = net.conv(net.conv(x, 8), 16, 3, 2)
    x = net.conv(net.concat(left, net.pool(x)), 16, 3)

    def expand(x, width, stride):
        y = net.conv(x, net.shape[x][1], 3)
        middle = net.shape[x][1] * 6
        y = net.conv(y, middle, 3, stride, None if stride == 2 else "relu", groups=net.shape[x][1])
        if stride == 2:
            y = net.depthwise(y)
            x = net.conv(net.depthwise(x, 3, 2, None), width, act=None)
        return net.add(x, net.conv(y, width, act=None), "relu")

    for width, depth in ((32, 2), (64, 2), (128, 4)):
        for i in range(depth):
            x = expand(x, width, 2 if i == 0 else 1)
    x = net.conv(net.add(x, net.conv(net.mean(x), 128)), 128, 3)
    a = net.conv(net.depthwise(detail, act=None), 128, act=None)
    b = net.pool(net.conv(detail, 128, 3, 2, None), 3, 2, "AveragePool")
    c = net.resize(net.conv(x, 128, 3, act="sigmoid"), a)
    d = net.conv(net.depthwise(x, act=None), 128, act="sigmoid")
    y = net.conv(net.add(net.mul(a, c), net.resize(net.mul(b, d), a)), 128, 3, act=None)
    return net.model(net.classes(net.conv(y, 1024, 3)))


def mobileseg(size):
    net = Net(size)
    stages = mobilenet_v3(net)[1:]
    x = net.conv(stages[-1], 128)
    parts = [net.resize(net.conv(net.mean(x), 128), x), x]
    x = net.conv(net.concat(*parts), 128, 3)
    for low, width in zip(reversed(stages[:-1]), (128, 64, 32)):
        low = net.conv(low, width)
        x = net.conv(net.resize(x, low), width)
        x = net.conv(net.depthwise(net.concat(x, low)), width)
    return net.model(net.classes(x))


def pp_liteseg(size):
    net = Net(size)
    stages = stdc(net)
    x, total = stages[-1], None
    for bins in (1, 2):
        cell = net.shape[x][2] // bins
        y = net.resize(net.conv(net.pool(x, cell, cell, "AveragePool", 0), 128), x)
        total = net.add(total, y) if total else y
    y = net.conv(total, 128, 3)
    for low, width in zip(reversed(stages), (128, 96, 64)):
        low = net.conv(low, net.shape[y][1], 3)
        up = net.resize(y, low)
        means = []
        for v in (low, up):
            means.append(net.op("ReduceMean", [v, net.weight([1], np.int64)], (1, 1, *net.shape[v][2:])))
            means.append(net.op("ReduceMax", [v, net.weight([1], np.int64)], (1, 1, *net.shape[v][2:])))
        gate = net.conv(net.conv(net.concat(*means), 2, 3), 1, 3, act="sigmoid")
        rest = net.op("Sub", [net.weight(np.ones((1, 1, 1, 1))), gate], net.shape[gate])
        y = net.conv(net.add(net.mul(low, rest), net.mul(up, gate)), width, 3)
    return net.model(net.classes(net.conv(y, 64, 3)))


def unet(size):
    net = Net(size)
    x, lows = net.conv(net.conv("x", 64, 3), 64, 3), []
    for width in (128, 256, 512, 512):
        lows.append(x)
        x = net.conv(net.conv(net.pool(x, 2, 2, pad=0), width, 3), width, 3)
    for low, width in zip(reversed(lows), (256, 128, 64, 64)):
        x = net.conv(net.conv(net.concat(low, net.resize(x, low)), width, 3), width, 3)
    return net.model(net.classes(x))


def segformer(size):
    net = Net(size)
    image, stages = "x", []
    for width, heads, ratio, kernel, stride in ((32, 1, 8, 7, 4), (64, 2, 4, 3, 2), (160, 5, 2, 3, 2),
                                                (256, 8, 1, 3, 2)):
        image = net.conv(image, width, kernel, stride, None, norm=False)
        x = net.layer_norm(net.tokens(image))
        for _ in range(2):
            y = keys = net.layer_norm(x)
            if ratio > 1:
                keys = net.layer_norm(net.tokens(net.conv(net.image(y, image), width, ratio, ratio, None, norm=False,
                                                          pad=0)))
            x = net.add(x, net.attention(y, keys, heads))
            y = net.image(net.linear(net.layer_norm(x), 4 * width), image)
            y = net.tokens(net.act(net.conv(y, 4 * width, 3, 1, None, 4 * width, norm=False), "gelu"))
            x = net.add(x, net.linear(y, width))
        image = net.image(net.layer_norm(x), image)
        stages.append(image)
    parts = [net.resize(net.image(net.linear(net.tokens(s), 256), s), stages[0]) for s in reversed(stages)]
    return net.model(net.classes(net.conv(net.concat(*parts), 256)))


def fast_scnn(size):
    net = Net(size)
    x = net.conv("x", 32, 3, 2)
    for width in (48, 64):
        x = net.conv(net.depthwise(x, 3, 2), width)
    high = x
    for width, depth, stride in ((64, 3, 2), (96, 3, 2), (128, 3, 1)):
        for i in range(depth):
            y = net.conv(x, net.shape[x][1] * 6)
            y = net.conv(net.depthwise(y, 3, stride if i == 0 else 1), width, act=None)
            x = net.add(x, y) if net.shape[x] == net.shape[y] else y
    parts = [x]
    for bins in (1, 2, 4):
        cell = max(1, net.shape[x][2] // bins)
        parts.append(net.resize(net.conv(net.pool(x, cell, cell, "AveragePool", 0), 32), x))
    x = net.resize(net.conv(net.concat(*parts), 128), high)
    x = net.add(net.conv(high, 128, act=None), net.conv(net.depthwise(x), 128, act=None), "relu")
    for _ in range(2):
        x = net.conv(net.depthwise(x), 128)
    return net.model(net.classes(x))


def ddrnet(size):
    """DDRNet-23-slim: two resolutions that exchange images."""
    net = Net(size)
    x = net.conv(net.conv("x", 32, 3, 2), 32, 3, 2)
    x = basic(net, basic(net, x, 32), 32)
    high = x = basic(net, basic(net, x, 64, 2), 64)
    low = basic(net, basic(net, x, 128, 2), 128)
    high = basic(net, basic(net, high, 64), 64)
    high, low = (net.add(high, net.resize(net.conv(low, 64, act=None), high), "relu"),
                 net.add(low, net.conv(high, 128, 3, 2, None), "relu"))
    low = basic(net, basic(net, low, 256, 2), 256)
    high = basic(net, basic(net, high, 64), 64)
    y = net.conv(net.conv(high, 128, 3, 2), 256, 3, 2, None)
    high, low = net.add(high, net.resize(net.conv(low, 64, act=None), high), "relu"), net.add(low, y, "relu")
    low, high = bottleneck(net, low, 256, 2, 1, 2), bottleneck(net, high, 64, 1, 1, 2)
    parts = [net.conv(low, 128)]
    for cell in (1, 2):
        part = net.resize(net.conv(net.pool(low, cell, cell, "AveragePool", 0), 128), low)
        parts.append(net.conv(net.add(part, parts[-1]), 128, 3))
    low = net.conv(net.concat(*parts), 128)
    return net.model(net.classes(net.conv(net.add(high, net.resize(low, high)), 64, 3)))


def danet(size):
    """Attention of pixels and of channels."""
    net = Net(size)
    x = resnet50(net, 8)[-1]
    a = net.conv(x, 512, 3)
    q, k, v = (net.tokens(net.conv(a, width, act=None, norm=False)) for width in (64, 64, 512))
    scores = net.matmul(q, net.permute(k, 0, 2, 1))
    y = net.matmul(net.op("Softmax", [scores], net.shape[scores], axis=-1), v)
    a = net.conv(net.add(net.image(y, a), a), 512, 3)
    b = net.conv(x, 512, 3)
    t = net.tokens(b)
    scores = net.matmul(net.permute(t, 0, 2, 1), t)
    y = net.matmul(t, net.op("Softmax", [scores], net.shape[scores], axis=-1))
    b = net.conv(net.add(net.image(y, b), b), 512, 3)
    return net.model(net.classes(net.add(a, b)))


def u2net(size):
    """U2Net-p: small networks in each other, with dilations at the bottom."""
    net = Net(size)

    def block(x, depth, middle=16, outputs=64, dilated=False):
        first = y = net.conv(x, outputs, 3)
        lows = []
        for i in range(depth - 1):
            if i and not dilated:
                y = net.pool(y, 2, 2, pad=0)
            y = net.conv(y, middle, 3, dilation=2**i if dilated else 1)
            lows.append(y)
        y = net.conv(y, middle, 3, dilation=2 ** (depth - 1) if dilated else 2)
        for i in reversed(range(depth - 1)):
            y = net.conv(net.concat(net.resize(y, lows[i]) if not dilated else y, lows[i]), middle if i else outputs, 3,
                         dilation=2**i if dilated else 1)
        return net.add(y, first)

    x, lows, sides = "x", [], []
    for depth in (7, 6, 5, 4):
        x = block(x, depth)
        lows.append(x)
        x = net.pool(x, 2, 2, pad=0)
    x = block(x, 4, dilated=True)
    for depth, low in zip((4, 5, 6, 7), reversed(lows)):
        x = block(net.concat(net.resize(x, low), low), depth)
        sides.append(net.resize(net.conv(x, 1, 3, act=None, norm=False), "x"))
    return net.model(net.conv(net.concat(*sides), 1, act="sigmoid", norm=False))


# Detection


def detr(size):
    net = Net(size)
    image = net.conv(resnet50(net, deep=False)[-1], 256, act=None, norm=False)
    x = net.tokens(image)
    positions = net.weight(net.random.standard_normal((1, net.shape[x][1], 256)))
    queries = net.weight(net.random.standard_normal((1, 100, 256)))
    net.shape.update({positions: net.shape[x], queries: (1, 100, 256)})
    feed = lambda v: net.layer_norm(net.add(v, net.linear(net.linear(v, 2048, "relu"), 256)))
    for _ in range(6):
        q = net.add(x, positions)
        x = feed(net.layer_norm(net.add(x, net.attention(q, q, 8, x))))
    y = net.weight(np.zeros((1, 100, 256)))
    net.shape[y] = (1, 100, 256)
    for _ in range(6):
        q = net.add(y, queries)
        y = net.layer_norm(net.add(y, net.attention(q, q, 8, y)))
        y = feed(net.layer_norm(net.add(y, net.attention(net.add(y, queries), net.add(x, positions), 8, x))))
    boxes = net.act(net.linear(net.linear(net.linear(y, 256, "relu"), 256, "relu"), 4), "sigmoid")
    return net.model(net.linear(y, 81), boxes)


def deformable_detr(size):
    """The encoder of two layers on three scales, with sampled values."""
    net = Net(size)
    stages = resnet50(net, deep=False)[1:]
    images = [net.conv(x, 256, act=None, norm=False) for x in stages]
    images.append(net.conv(stages[-1], 256, 3, 2, None, norm=False))
    sizes = [net.shape[x][2:] for x in images]
    x = net.op("Concat", [net.tokens(v) for v in images], (1, sum(h * w for h, w in sizes), 256), axis=1)
    count, heads, points = net.shape[x][1], 8, 4
    for _ in range(2):
        value = net.linear(x, 256)
        weights = net.reshape(net.linear(x, heads * len(sizes) * points), 1, count, heads, len(sizes) * points)
        weights = net.permute(net.op("Softmax", [weights], net.shape[weights], axis=-1), 0, 2, 1, 3)
        weights = net.reshape(weights, heads, 1, count, len(sizes) * points)
        offsets = net.reshape(net.linear(x, heads * len(sizes) * points * 2), count, heads, len(sizes), points, 2)
        offsets = net.permute(net.op("Tanh", [offsets], net.shape[offsets]), 2, 1, 0, 3, 4)
        start, sampled = 0, []
        for level, (height, width) in enumerate(sizes):
            ends = [net.weight([v], np.int64) for v in (start, start + height * width, 1)]
            v = net.op("Slice", [value, ends[0], ends[1], ends[2]], (1, height * width, 256))
            v = net.reshape(net.permute(v, 0, 2, 1), heads, 256 // heads, height, width)
            grid = net.op("Gather", [offsets, net.weight(level, np.int64)], net.shape[offsets][1:], axis=0)
            sampled.append(net.op("GridSample", [v, grid], (heads, 256 // heads, count, points), mode="linear",
                                  padding_mode="zeros", align_corners=0))
            start += height * width
        y = net.op("Concat", sampled, (heads, 256 // heads, count, points * len(sizes)), axis=3)
        y = net.mul(y, weights)
        y = net.op("ReduceSum", [y, net.weight([3], np.int64)], (heads, 256 // heads, count), keepdims=0)
        y = net.reshape(net.permute(y, 2, 0, 1), 1, count, 256)
        x = net.layer_norm(net.add(x, net.linear(y, 256)))
        x = net.layer_norm(net.add(x, net.linear(net.linear(x, 1024, "relu"), 256)))
    return net.model(net.linear(x, 80), net.act(net.linear(net.linear(x, 256, "relu"), 4), "sigmoid"))


def yolov3(size):
    net = Net(size)
    x, stages = net.conv("x", 32, 3, act="leaky"), []
    for width, depth in ((64, 1), (128, 2), (256, 8), (512, 8), (1024, 4)):
        x = net.conv(x, width, 3, 2, "leaky")
        for _ in range(depth):
            x = net.add(x, net.conv(net.conv(x, width // 2, act="leaky"), width, 3, act="leaky"))
        stages.append(x)
    results, route = [], None
    for stage, width in zip(reversed(stages[2:]), (512, 256, 128)):
        x = stage
        if route:
            x = net.concat(net.resize(net.conv(route, width, act="leaky"), stage, "nearest"), stage)
        for _ in range(2):
            x = net.conv(net.conv(x, width, act="leaky"), width * 2, 3, act="leaky")
        route = net.conv(x, width, act="leaky")
        results.append(net.conv(net.conv(route, width * 2, 3, act="leaky"), 255, act=None, norm=False))
    return net.model(*results)


def pp_yoloe(size):
    net = Net(size)

    def csp(x, width, depth, gate):
        half = width // 2
        y = z = net.conv(x, half, act="swish")
        for _ in range(depth):
            u = net.conv(net.conv(y, half, 3, act="swish"), half, 3, act="swish", norm=False)
            y = net.add(y, u) if gate else u
        y = net.concat(y, net.conv(x, half, act="swish"))
        return net.conv(net.gate(y, 1) if gate else y, width, act="swish")

    x, stages = "x", []
    for width, stride in ((16, 2), (16, 1), (32, 1)):
        x = net.conv(x, width, 3, stride, "swish")
    for width, depth in ((64, 1), (128, 2), (256, 2), (512, 1)):
        x = csp(net.conv(x, width, 3, 2, "swish"), width, depth, True)
        stages.append(x)
    x, tops = None, []
    for stage, width in zip(reversed(stages[1:]), (384, 192, 96)):
        y = net.concat(net.resize(net.conv(x, width, act="swish"), stage, "nearest"), stage) if x else stage
        x = csp(y, width, 1, False)
        if not tops:  # pools of several sizes
            x = net.conv(net.concat(x, *[net.pool(x, k, 1) for k in (5, 9, 13)]), width, act="swish")
        tops.append(x)
    tops.reverse()
    for i in (1, 2):
        down = net.conv(tops[i - 1], net.shape[tops[i - 1]][1], 3, 2, "swish")
        tops[i] = csp(net.concat(down, tops[i]), net.shape[tops[i]][1], 1, False)
    results = []
    for x in tops:
        width, mean = net.shape[x][1], net.mean(x)
        for count in (80, 68):
            y = net.conv(net.mul(x, net.conv(mean, width, act="sigmoid", norm=False)), width, act="swish")
            results.append(net.conv(net.add(x, y) if count == 80 else y, count, 3, act=None, norm=False))
    return net.model(*results)


def ssd_vgg(size):
    net = Net(size)
    x, results = "x", []
    plain = lambda v, width, kernel=3, stride=1, **more: net.conv(v, width, kernel, stride, norm=False, **more)
    for width, depth in ((64, 2), (128, 2), (256, 3), (512, 3)):
        for _ in range(depth):
            x = plain(x, width)
        results.append(x)
        x = net.pool(x, 2, 2, pad=0)
    results = results[-1:]
    for _ in range(3):
        x = plain(x, 512)
    x = plain(plain(net.pool(x, 3, 1), 1024, dilation=6), 1024, 1)
    results.append(x)
    for width in (512, 256):
        x = plain(plain(x, width // 2, 1), width, 3, 2)
        results.append(x)
    return net.model(*[net.conv(x, count, 3, act=None, norm=False) for x in results for count in (24, 126)])


def retinanet(size):
    net = Net(size)
    levels = fpn(net, resnet50(net, deep=False)[1:])
    levels.append(net.conv(levels[-1], 256, 3, 2, None, norm=False))
    results = []
    for x in levels:
        for count in (720, 36):
            y = x
            for _ in range(4):
                y = net.conv(y, 256, 3, norm=False)
            results.append(net.conv(y, count, 3, act="sigmoid" if count == 720 else None, norm=False))
    return net.model(*results)


def picodet(size):
    net = Net(size)

    def separable(x, width, kernel=5, stride=1):
        return net.conv(net.depthwise(x, kernel, stride, "hswish"), width, act="hswish")

    x, stages = net.conv("x", 16, 3, 2, "hswish"), []
    for width, depth, kernel in ((32, 1, 3), (64, 2, 3), (128, 2, 3), (256, 6, 5), (512, 3, 5)):
        for i in range(depth):
            x = separable(x, width, kernel, 2 if i == 0 and width > 32 else 1)
        stages.append(x)
    tops = [net.conv(s, 96, act="hswish") for s in stages[2:]]

    def csp(x, width=96):
        y = separable(net.conv(net.conv(x, width // 2, act="hswish"), width // 2, act="hswish"), width // 2)
        return net.conv(net.concat(y, net.conv(x, width // 2, act="hswish")), width, act="hswish")

    for i in (1, 0):
        tops[i] = csp(net.concat(net.resize(tops[i + 1], tops[i], "nearest"), tops[i]))
    for i in (1, 2):
        tops[i] = csp(net.concat(separable(tops[i - 1], 96, 5, 2), tops[i]))
    tops.append(net.add(separable(stages[-1], 96, 5, 2), separable(tops[-1], 96, 5, 2)))
    results = []
    for x in tops:
        for _ in range(2):
            x = separable(x, 96)
        results.append(net.conv(x, 112, act=None, norm=False))
    return net.model(*results)


def ssd_mobilenet(size):
    net = Net(size)
    x, results = net.conv("x", 32, 3, 2), []
    for width, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
                          (1024, 1)):
        if width == 1024 and stride == 2:
            results.append(x)
        x = net.conv(net.depthwise(x, 3, stride), width)
    results.append(x)
    for width in (512, 256):
        x = net.conv(net.conv(x, width // 2), width, 3, 2)
        results.append(x)
    return net.model(*[net.conv(x, count, act=None, norm=False) for x in results for count in (24, 126)])


def yolox(size):
    """YOLOX-s."""
    net = Net(size)

    def csp(x, width, depth, shortcut=True):
        y, half = net.conv(x, width // 2, act="swish"), width // 2
        for _ in range(depth):
            z = net.conv(net.conv(y, half, act="swish"), half, 3, act="swish")
            y = net.add(y, z) if shortcut else z
        return net.conv(net.concat(y, net.conv(x, half, act="swish")), width, act="swish")

    x, stages = net.conv("x", 32, 6, 2, "swish", pad=2), []
    for width, depth in ((64, 1), (128, 3), (256, 3), (512, 1)):
        x = net.conv(x, width, 3, 2, "swish")
        if width == 512:
            y = net.conv(x, 256, act="swish")
            x = net.conv(net.concat(y, *[net.pool(y, k, 1) for k in (5, 9, 13)]), 512, act="swish")
        x = csp(x, width, depth, width < 512)
        stages.append(x)
    c3, c4, c5 = stages[1:]
    p5 = net.conv(c5, 256, act="swish")
    p4 = net.conv(csp(net.concat(net.resize(p5, c4, "nearest"), c4), 256, 1, False), 128, act="swish")
    n3 = csp(net.concat(net.resize(p4, c3, "nearest"), c3), 128, 1, False)
    n4 = csp(net.concat(net.conv(n3, 128, 3, 2, "swish"), p4), 256, 1, False)
    n5 = csp(net.concat(net.conv(n4, 256, 3, 2, "swish"), p5), 512, 1, False)
    results = []
    for x in (n3, n4, n5):
        x = net.conv(x, 128, act="swish")
        for count in (80, 5):
            y = net.conv(net.conv(x, 128, 3, act="swish"), 128, 3, act="swish")
            results.append(net.conv(y, count, act=None, norm=False))
    return net.model(*results)


def centernet(size):
    net = Net(size)
    x = resnet18(net)[-1]
    for width in (256, 128, 64):
        x = net.deconv(x, width)
    heads = [net.conv(net.conv(x, 64, 3, norm=False), count, act=None, norm=False) for count in (80, 2, 2)]
    heat = net.act(heads[0], "sigmoid")
    peaks = net.op("Equal", [heat, net.pool(heat, 3, 1)], net.shape[heat])
    peaks = net.op("Cast", [peaks], net.shape[heat], to=1)
    return net.model(net.mul(heat, peaks), *heads[1:])


NETWORKS = {"deeplabv3": (deeplabv3, 64), "deeplabv3_128": (deeplabv3, 128), "deeplabv3p": (deeplabv3p, 128),
            "pspnet": (pspnet, 64), "fcn_hrnet": (fcn_hrnet, 128), "bisenetv1": (bisenetv1, 128),
            "bisenetv2": (bisenetv2, 128), "mobileseg": (mobileseg, 128), "pp_liteseg": (pp_liteseg, 128),
            "unet": (unet, 64), "segformer": (segformer, 128), "detr": (detr, 128),
            "deformable_detr": (deformable_detr, 128), "yolov3": (yolov3, 96), "pp_yoloe": (pp_yoloe, 128),
            "fast_scnn": (fast_scnn, 128), "ddrnet": (ddrnet, 128), "danet": (danet, 64), "u2net": (u2net, 64),
            "ssd_mobilenet": (ssd_mobilenet, 128), "yolox": (yolox, 128), "centernet": (centernet, 128),
            "ssd_vgg": (ssd_vgg, 128), "retinanet": (retinanet, 128), "picodet": (picodet, 128)}


def build(name, networks=None):
    """The ONNX model, and its feeds."""
    function, size = (networks or NETWORKS)[name]
    image = np.random.default_rng(2).standard_normal((1, 3, size, size)).astype(np.float32)
    return function(size), {"x": image}
