"""Classification networks of full width as ONNX models, with random weights: for networks.py --vision."""

import numpy as np

from vision_networks import Net, basic, mobilenet_v3


def classify(net, x, classes=1000, hidden=None):
    x = net.mean(x)
    if hidden:
        x = net.conv(x, hidden, act="hswish", norm=False)
    return net.model(net.linear(net.reshape(x, 1, net.shape[x][1]), classes))


def inverted(net, x, outputs, expansion, kernel=3, stride=1, act="relu", gate=None):
    """An inverted residual of MobileNet."""
    y = net.conv(x, round(net.shape[x][1] * expansion), act=act) if expansion != 1 else x
    y = net.depthwise(y, kernel, stride, act)
    if gate:
        y = net.gate(y, gate, "sigmoid" if act == "swish" else "hsigmoid")
    y = net.conv(y, outputs, act=None)
    return net.add(x, y) if net.shape[x] == net.shape[y] else y


def mobilenet_v1(size):
    net = Net(size)
    x = net.conv("x", 32, 3, 2)
    for width, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
                          (1024, 1)):
        x = net.conv(net.depthwise(x, 3, stride), width)
    return classify(net, x)


def mobilenet_v2_stages(net, last_stride=2):
    """MobileNetV2 without its last convolution. With `last_stride` 1 the output stride is 16."""
    x = net.conv("x", 32, 3, 2)
    for expansion, width, depth, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                            (6, 160, 3, last_stride), (6, 320, 1, 1)):
        for i in range(depth):
            x = inverted(net, x, width, expansion, 3, stride if i == 0 else 1)
    return x


def mobilenet_v2(size):
    net = Net(size)
    x = mobilenet_v2_stages(net)
    return classify(net, net.conv(x, 1280))


def mobilenet_v3_large(size):
    net = Net(size)
    return classify(net, net.conv(mobilenet_v3(net)[-1], 960, act="hswish"), hidden=1280)


def mobilenet_v4(size):
    """MobileNetV4-conv-small: universal inverted bottlenecks."""
    net = Net(size)
    x = net.conv("x", 32, 3, 2)
    for middle, outputs in ((32, 32), (96, 64)):
        x = net.conv(net.conv(x, middle, 3, 2), outputs)
    for first, middle, outputs, expansion, stride in (
            (5, 5, 96, 3, 2), *[(0, 3, 96, 2, 1)] * 4, (3, 0, 96, 4, 1), (3, 3, 128, 6, 2), (5, 5, 128, 4, 1),
            (0, 5, 128, 4, 1), (0, 5, 128, 3, 1), (0, 3, 128, 4, 1), (0, 3, 128, 4, 1)):
        y = net.depthwise(x, first, 1 if middle else stride, None) if first else x
        y = net.conv(y, net.shape[x][1] * expansion)
        y = net.depthwise(y, middle, stride) if middle else y
        y = net.conv(y, outputs, act=None)
        x = net.add(x, y) if net.shape[x] == net.shape[y] else y
    return classify(net, net.conv(x, 960), hidden=1280)


def mnasnet(size):
    net = Net(size)
    x = net.conv(net.depthwise(net.conv("x", 32, 3, 2)), 16, act=None)
    for width, depth, stride, expansion, kernel in ((24, 3, 2, 3, 3), (40, 3, 2, 3, 5), (80, 3, 2, 6, 5),
                                                    (96, 2, 1, 6, 3), (192, 4, 2, 6, 5), (320, 1, 1, 6, 3)):
        for i in range(depth):
            x = inverted(net, x, width, expansion, kernel, stride if i == 0 else 1)
    return classify(net, net.conv(x, 1280))


def efficientnet_b0(size):
    net = Net(size)
    x = net.conv("x", 32, 3, 2, "swish")
    for width, depth, stride, expansion, kernel in ((16, 1, 1, 1, 3), (24, 2, 2, 6, 3), (40, 2, 2, 6, 5),
                                                    (80, 3, 2, 6, 3), (112, 3, 1, 6, 5), (192, 4, 2, 6, 5),
                                                    (320, 1, 1, 6, 3)):
        for i in range(depth):
            x = inverted(net, x, width, expansion, kernel, stride if i == 0 else 1, "swish", 4 * expansion)
    return classify(net, net.conv(x, 1280, act="swish"))


def efficientnet_v2(size):
    """EfficientNetV2-B0: fused blocks, then inverted residuals."""
    net = Net(size)
    x = net.conv("x", 32, 3, 2, "swish")
    for width, depth, stride, expansion in ((16, 1, 1, 1), (32, 2, 2, 4), (48, 2, 2, 4)):
        for i in range(depth):
            y = net.conv(x, net.shape[x][1] * expansion, 3, stride if i == 0 else 1, "swish")
            y = net.conv(y, width, act=None) if expansion != 1 else y
            x = net.add(x, y) if net.shape[x] == net.shape[y] else y
    for width, depth, stride, expansion in ((96, 3, 2, 4), (112, 5, 1, 6), (192, 8, 2, 6)):
        for i in range(depth):
            x = inverted(net, x, width, expansion, 3, stride if i == 0 else 1, "swish", 4 * expansion)
    return classify(net, net.conv(x, 1280, act="swish"))


def shuffle(net, x, groups=2):
    _, channels, height, width = net.shape[x]
    x = net.permute(net.reshape(x, 1, groups, channels // groups, height, width), 0, 2, 1, 3, 4)
    return net.reshape(x, 1, channels, height, width)


def shufflenet_v2(size):
    net = Net(size)
    x = net.pool(net.conv("x", 24, 3, 2))
    for width, depth in ((116, 4), (232, 8), (464, 4)):
        for i in range(depth):
            if i == 0:
                left = net.conv(net.depthwise(x, 3, 2, None), width // 2)
                right = net.conv(net.depthwise(net.conv(x, width // 2), 3, 2, None), width // 2)
            else:
                left, right = net.split(x)
                right = net.conv(net.depthwise(net.conv(right, width // 2), 3, 1, None), width // 2)
            x = shuffle(net, net.concat(left, right))
    return classify(net, net.conv(x, 1024))


def ghostnet(size):
    net = Net(size)

    def ghost(x, outputs, act="relu"):
        y = net.conv(x, outputs // 2, act=act)
        return net.concat(y, net.depthwise(y, 3, 1, act))

    x = net.conv("x", 16, 3, 2)
    for kernel, middle, outputs, gate, stride in (
            (3, 16, 16, 0, 1), (3, 48, 24, 0, 2), (3, 72, 24, 0, 1), (5, 72, 40, 1, 2), (5, 120, 40, 1, 1),
            (3, 240, 80, 0, 2), (3, 200, 80, 0, 1), (3, 184, 80, 0, 1), (3, 184, 80, 0, 1), (3, 480, 112, 1, 1),
            (3, 672, 112, 1, 1), (5, 672, 160, 1, 2), (5, 960, 160, 0, 1), (5, 960, 160, 1, 1), (5, 960, 160, 0, 1),
            (5, 960, 160, 1, 1)):
        y = ghost(x, middle)
        y = net.depthwise(y, kernel, 2, None) if stride == 2 else y
        y = ghost(net.gate(y) if gate else y, outputs, None)
        if net.shape[x] != net.shape[y]:
            x = net.conv(net.depthwise(x, kernel, stride, None), outputs, act=None)
        x = net.add(x, y)
    return classify(net, net.conv(x, 960), hidden=1280)


def regnet(size, widths=(32, 64, 160, 400), depths=(1, 2, 7, 12), group=16, gate=False):
    """RegNetX-400MF, or with gates RegNetY-400MF."""
    net = Net(size)
    x = net.conv("x", 32, 3, 2)
    for width, depth in zip(widths, depths):
        for i in range(depth):
            y = net.conv(net.conv(x, width), width, 3, 2 if i == 0 else 1, groups=width // group)
            y = net.conv(net.gate(y, 4, "sigmoid") if gate else y, width, act=None)
            x = net.add(net.conv(x, width, 1, 2, None) if i == 0 else x, y, "relu")
    return classify(net, x)


def regnet_y(size):
    return regnet(size, (48, 104, 208, 440), (1, 3, 6, 6), 8, True)


def resnet(size, depths, groups=1, width=64, gate=False, scales=1):
    """ResNet with bottlenecks; ResNeXt with groups, SE-ResNet with gates, Res2Net with scales."""
    net = Net(size)

    def middle(x, outputs, stride):
        if scales == 1:
            return net.conv(x, outputs, 3, stride, groups=groups)
        parts, y = net.split(x, scales), None
        results = []
        for i, part in enumerate(parts[:-1]):
            y = net.conv(part if i == 0 or stride == 2 else net.add(y, part), outputs // scales, 3, stride)
            results.append(y)
        results.append(net.pool(parts[-1], 3, 2, "AveragePool") if stride == 2 else parts[-1])
        return net.concat(*results)

    x = net.pool(net.conv("x", 64, 7, 2))
    for stage, depth in enumerate(depths):
        for i in range(depth):
            outputs, stride = 256 << stage, 2 if stage and i == 0 else 1
            y = net.conv(middle(net.conv(x, width << stage), width << stage, stride), outputs, act=None)
            y = net.gate(y, 16, "sigmoid") if gate else y
            x = net.add(net.conv(x, outputs, 1, stride, None) if i == 0 else x, y, "relu")
    return classify(net, x)


def resnet34(size):
    net = Net(size)
    x = net.pool(net.conv("x", 64, 7, 2))
    for width, depth in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for i in range(depth):
            x = basic(net, x, width, 2 if i == 0 and width > 64 else 1)
    return classify(net, x)


def convnext(size):
    """ConvNeXt-nano: depthwise windows of 7x7, layer normalization of the channels."""
    net = Net(size)
    norm = lambda v: net.permute(net.layer_norm(net.permute(v, 0, 2, 3, 1)), 0, 3, 1, 2)
    x = norm(net.conv("x", 80, 4, 4, None, norm=False, pad=0))
    for width, depth in ((80, 2), (160, 2), (320, 8), (640, 2)):
        if net.shape[x][1] != width:
            x = net.conv(norm(x), width, 2, 2, None, norm=False, pad=0)
        for _ in range(depth):
            y = net.conv(x, width, 7, 1, None, width, norm=False)
            y = net.layer_norm(net.permute(y, 0, 2, 3, 1))
            y = net.linear(net.linear(y, 4 * width, "gelu"), width)
            x = net.add(x, net.permute(y, 0, 3, 1, 2))
    return classify(net, norm(x))


def preactivated(net, x, outputs, kernel=1):
    """Batch normalization, ReLU, and a convolution."""
    channels = net.shape[x][1]
    ones, small = 1 + 0.1 * net.random.random((2, channels)), 0.1 * net.random.standard_normal((2, channels))
    weights = [net.weight(values) for values in (ones[0], small[0], small[1], ones[1])]
    y = net.act(net.op("BatchNormalization", [x, *weights], net.shape[x]), "relu")
    return net.conv(y, outputs, kernel, act=None, norm=False) if outputs else y


def densenet121(size):
    net = Net(size)
    x = net.pool(net.conv("x", 64, 7, 2))
    for depth in (6, 12, 24, 16):
        for _ in range(depth):
            x = net.concat(x, preactivated(net, preactivated(net, x, 128), 32, 3))
        if depth != 16:
            x = net.pool(preactivated(net, x, net.shape[x][1] // 2), 2, 2, "AveragePool", 0)
    return classify(net, preactivated(net, x, None))


def inception_v3(size):
    net = Net(size)
    conv = lambda v, outputs, kernel=1, stride=1, pad=None: net.conv_of(v, outputs, kernel, stride, pad)
    mean = lambda v: net.pool(v, 3, 1, "AveragePool")
    x = conv(conv(conv("x", 32, 3, 2, 0), 32, 3, 1, 0), 64, 3)
    x = net.pool(conv(conv(net.pool(x, 3, 2, pad=0), 80), 192, 3, 1, 0), 3, 2, pad=0)
    for pooled in (32, 64, 64):
        x = net.concat(conv(x, 64), conv(conv(x, 48), 64, 5), conv(conv(conv(x, 64), 96, 3), 96, 3),
                       conv(mean(x), pooled))
    x = net.concat(conv(x, 384, 3, 2, 0), conv(conv(conv(x, 64), 96, 3), 96, 3, 2, 0), net.pool(x, 3, 2, pad=0))
    for width in (128, 160, 160, 192):
        y = conv(conv(conv(x, width), width, (1, 7)), 192, (7, 1))
        z = conv(conv(conv(conv(conv(x, width), width, (7, 1)), width, (1, 7)), width, (7, 1)), 192, (1, 7))
        x = net.concat(conv(x, 192), y, z, conv(mean(x), 192))
    y = conv(conv(conv(conv(x, 192), 192, (1, 7)), 192, (7, 1)), 192, 3, 2, 0)
    x = net.concat(conv(conv(x, 192), 320, 3, 2, 0), y, net.pool(x, 3, 2, pad=0))
    for _ in range(2):
        y, z = conv(x, 384), conv(conv(x, 448), 384, 3)
        x = net.concat(conv(x, 320), conv(y, 384, (1, 3)), conv(y, 384, (3, 1)), conv(z, 384, (1, 3)),
                       conv(z, 384, (3, 1)), conv(mean(x), 192))
    return classify(net, x)


def xception(size):
    net = Net(size)
    separable = lambda v, outputs: net.conv(net.depthwise(v, act=None), outputs, act=None)
    x = net.conv(net.conv("x", 32, 3, 2), 64, 3)
    for width in (128, 256, 728):
        y = net.pool(separable(net.act(separable(net.act(x, "relu"), width), "relu"), width))
        x = net.add(net.conv(x, width, 1, 2, None), y)
    for _ in range(8):
        y = x
        for _ in range(3):
            y = separable(net.act(y, "relu"), 728)
        x = net.add(x, y)
    y = net.pool(separable(net.act(separable(net.act(x, "relu"), 728), "relu"), 1024))
    x = net.add(net.conv(x, 1024, 1, 2, None), y)
    return classify(net, net.act(separable(net.act(separable(x, 1536), "relu"), 2048), "relu"))


def repvgg(size):
    """RepVGG-A0 as deployed: a chain of 3x3 convolutions."""
    net = Net(size)
    x = "x"
    for width, depth in ((48, 1), (48, 2), (96, 4), (192, 14), (1280, 1)):
        for i in range(depth):
            x = net.conv(x, width, 3, 2 if i == 0 else 1, norm=False)
    return classify(net, x)


def vovnet(size):
    """ESE-VoVNet-19 with depthwise convolutions replaced by plain ones."""
    net = Net(size)
    x = net.conv(net.conv(net.conv("x", 64, 3, 2), 64, 3), 64, 3, 2)
    for middle, outputs in ((64, 112), (80, 256), (96, 384), (112, 512)):
        x = x if middle == 64 else net.pool(x)
        parts = [x]
        for _ in range(3):
            parts.append(net.conv(parts[-1], middle, 3))
        x = net.conv(net.concat(*parts), outputs)
        x = net.mul(x, net.conv(net.mean(x), outputs, act="hsigmoid", norm=False))
    return classify(net, x)


def squeezenet(size):
    net = Net(size)
    x = net.pool(net.conv("x", 64, 3, 2, norm=False))
    for i, width in enumerate((16, 16, 32, 32, 48, 48, 64, 64)):
        y = net.conv(x, width, norm=False)
        x = net.concat(net.conv(y, width * 4, norm=False), net.conv(y, width * 4, 3, norm=False))
        x = net.pool(x) if i in (1, 3) else x
    return net.model(net.mean(net.conv(x, 1000, norm=False)))


def alexnet(size):
    net = Net(size)
    x = net.pool(net.conv("x", 64, 11, 4, norm=False, pad=2), 3, 2, pad=0)
    x = net.pool(net.conv(x, 192, 5, norm=False), 3, 2, pad=0)
    for width in (384, 256, 256):
        x = net.conv(x, width, 3, norm=False)
    x = net.pool(x, 3, 2, pad=0)
    x = net.reshape(x, 1, int(np.prod(net.shape[x])))
    return net.model(net.linear(net.linear(net.linear(x, 4096, "relu"), 4096, "relu"), 1000))


def darknet53(size):
    net = Net(size)
    x = net.conv("x", 32, 3, act="leaky")
    for width, depth in ((64, 1), (128, 2), (256, 8), (512, 8), (1024, 4)):
        x = net.conv(x, width, 3, 2, "leaky")
        for _ in range(depth):
            x = net.add(x, net.conv(net.conv(x, width // 2, act="leaky"), width, 3, act="leaky"))
    return classify(net, x)


def fasternet(size):
    """FasterNet-T1: 3x3 convolutions of a quarter of the channels."""
    net = Net(size)
    x = net.conv("x", 64, 4, 4, None, pad=0)
    for width, depth in ((64, 1), (128, 2), (256, 8), (512, 2)):
        if net.shape[x][1] != width:
            x = net.conv(x, width, 2, 2, None, pad=0)
        for _ in range(depth):
            first, *rest = net.split(x, 4)
            y = net.concat(net.conv(first, width // 4, 3, act=None, norm=False), *rest)
            x = net.add(x, net.conv(net.conv(y, width * 2, act="gelu"), width, act=None, norm=False))
    return classify(net, x, hidden=1280)


def scale(net, channels):
    weight = net.weight(1 + 0.1 * net.random.random((channels, 1, 1)))
    net.shape[weight] = (channels, 1, 1)
    return weight


def poolformer(size):
    """PoolFormer-S12: average poolings instead of attention."""
    net = Net(size)

    def norm(v):  # of all channels, as PyTorch exports its normalization of groups
        count, ones = int(np.prod(net.shape[v])), net.weight([1.0])
        y = net.reshape(v, 1, 1, count)
        y = net.op("InstanceNormalization", [y, ones, net.weight([0.0])], net.shape[y])
        return net.mul(net.reshape(y, *net.shape[v]), scale(net, net.shape[v][1]))

    x = "x"
    for width, depth in ((64, 2), (128, 2), (320, 6), (512, 2)):
        x = net.conv(x, width, 7 if x == "x" else 3, 4 if x == "x" else 2, None, norm=False, pad=2 if x == "x" else 1)
        for _ in range(depth):
            y = norm(x)
            x = net.add(x, net.op("Sub", [net.pool(y, 3, 1, "AveragePool"), y], net.shape[y]))
            y = net.conv(norm(x), 4 * width, act="gelu", norm=False)
            x = net.add(x, net.conv(y, width, act=None, norm=False))
    return classify(net, x)


def vit_tiny(size):
    net = Net(size)
    x = net.tokens(net.conv("x", 192, 16, 16, None, norm=False, pad=0))
    for _ in range(12):
        y = net.layer_norm(x)
        x = net.add(x, net.attention(y, y, 3))
        x = net.add(x, net.linear(net.linear(net.layer_norm(x), 768, "gelu"), 192))
    x = net.op("ReduceMean", [net.layer_norm(x), net.weight([1], np.int64)], (1, 192), keepdims=0)
    return net.model(net.linear(x, 1000))


def mobileone(size):
    """MobileOne-S0 as deployed."""
    net = Net(size)
    x = net.conv("x", 48, 3, 2, norm=False)
    for width, depth in ((48, 2), (128, 8), (256, 10), (1024, 1)):
        for i in range(depth):
            x = net.conv(x, net.shape[x][1], 3, 2 if i == 0 else 1, groups=net.shape[x][1], norm=False)
            x = net.conv(x, width, norm=False)
    return classify(net, x)


NETWORKS = {
    "mobilenet_v1": (mobilenet_v1, 224), "mobilenet_v2": (mobilenet_v2, 224),
    "mobilenet_v3_large": (mobilenet_v3_large, 224), "mobilenet_v4": (mobilenet_v4, 224), "mnasnet": (mnasnet, 224),
    "efficientnet_b0": (efficientnet_b0, 224), "efficientnet_v2": (efficientnet_v2, 224),
    "shufflenet_v2": (shufflenet_v2, 224), "ghostnet": (ghostnet, 224), "regnet_x": (regnet, 224),
    "regnet_y": (regnet_y, 224), "resnet34": (resnet34, 224),
    "resnext50": (lambda size: resnet(size, (3, 4, 6, 3), 32, 128), 224),
    "se_resnet50": (lambda size: resnet(size, (3, 4, 6, 3), gate=True), 224),
    "res2net50": (lambda size: resnet(size, (3, 4, 6, 3), width=104, scales=4), 224), "convnext": (convnext, 224),
    "densenet121": (densenet121, 224), "inception_v3": (inception_v3, 299), "xception": (xception, 224),
    "repvgg": (repvgg, 224), "vovnet": (vovnet, 224), "squeezenet": (squeezenet, 224), "alexnet": (alexnet, 224),
    "darknet53": (darknet53, 224), "fasternet": (fasternet, 224), "poolformer": (poolformer, 224),
    "vit_tiny": (vit_tiny, 224), "mobileone": (mobileone, 224)}
