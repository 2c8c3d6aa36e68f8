"""More networks for segmentation, detection, poses, text and restoration as ONNX models, with random weights: for
networks.py --vision."""

from functools import reduce

import numpy as np

from backbones import inverted, mobilenet_v2_stages, shuffle
from vision_networks import Net, aspp, basic, fpn, mobilenet_v3, resnet18, resnet50


def csp(net, x, width, depth, shortcut=True):
    """The C3 block of YOLOv5."""
    y = net.conv(x, width // 2, act="swish")
    for _ in range(depth):
        z = net.conv(net.conv(y, width // 2, act="swish"), width // 2, 3, act="swish")
        y = net.add(y, z) if shortcut else z
    return net.conv(net.concat(y, net.conv(x, width // 2, act="swish")), width, act="swish")


def c2f(net, x, width, depth, shortcut=True):
    """The C2f block of YOLOv8."""
    parts = net.split(net.conv(x, width, act="swish"))
    for _ in range(depth):
        y = net.conv(net.conv(parts[-1], width // 2, 3, act="swish"), width // 2, 3, act="swish")
        parts.append(net.add(parts[-1], y) if shortcut else y)
    return net.conv(net.concat(*parts), width, act="swish")


def pools(net, x, width):
    """The SPPF block: poolings of 5x5 after each other."""
    parts = [net.conv(x, width // 2, act="swish")]
    for _ in range(3):
        parts.append(net.pool(parts[-1], 5, 1))
    return net.conv(net.concat(*parts), width, act="swish")


def yolo(size, block, widths=(16, 32, 64, 128, 256), depths=(1, 2, 2, 1), first=6, decoupled=False):
    net = Net(size)
    x, stages = net.conv("x", widths[0], first, 2, "swish", pad=2 if first == 6 else None), []
    for width, depth in zip(widths[1:], depths):
        x = block(net, net.conv(x, width, 3, 2, "swish"), width, depth)
        stages.append(x)
    c3, c4, c5 = stages[1], stages[2], pools(net, x, widths[-1])
    p4 = block(net, net.concat(net.resize(c5, c4, "nearest"), c4), widths[3], 1, False)
    p3 = block(net, net.concat(net.resize(p4, c3, "nearest"), c3), widths[2], 1, False)
    n4 = block(net, net.concat(net.conv(p3, widths[2], 3, 2, "swish"), p4), widths[3], 1, False)
    n5 = block(net, net.concat(net.conv(n4, widths[3], 3, 2, "swish"), c5), widths[4], 1, False)
    results = []
    for x in (p3, n4, n5):
        if not decoupled:
            results.append(net.conv(x, 255, act=None, norm=False))
            continue
        for width, count in ((64, 64), (80, 80)):
            y = net.conv(net.conv(x, width, 3, act="swish"), width, 3, act="swish")
            y = net.conv(y, count, act=None, norm=False)
            if count == 64:  # the expected distance of each side
                y = net.reshape(y, 1, 4, 16, net.shape[y][2] * net.shape[y][3])
                y = net.op("Softmax", [y], net.shape[y], axis=2)
                y = net.conv(net.permute(y, 0, 2, 1, 3), 1, act=None, norm=False)
            results.append(y)
    return net.model(*results)


def yolov7_tiny(size):
    net = Net(size)

    def elan(x, width, outputs):
        parts = [net.conv(x, width, act="leaky"), net.conv(x, width, act="leaky")]
        for _ in range(2):
            parts.append(net.conv(parts[-1], width, 3, act="leaky"))
        return net.conv(net.concat(*parts), outputs, act="leaky")

    x = elan(net.conv(net.conv("x", 32, 3, 2, "leaky"), 64, 3, 2, "leaky"), 32, 64)
    stages = []
    for width in (64, 128, 256):
        x = elan(net.pool(x, 2, 2, pad=0), width, 2 * width)
        stages.append(x)
    y = net.conv(x, 256, act="leaky")
    y = net.conv(net.concat(y, *[net.pool(y, k, 1) for k in (5, 9, 13)]), 256, act="leaky")
    p5 = net.conv(net.concat(y, net.conv(x, 256, act="leaky")), 256, act="leaky")
    up = lambda v, low, width: net.concat(net.conv(low, width, act="leaky"),
                                          net.resize(net.conv(v, width, act="leaky"), low, "nearest"))
    p4 = elan(up(p5, stages[1], 128), 64, 128)
    p3 = elan(up(p4, stages[0], 64), 32, 64)
    n4 = elan(net.concat(net.conv(p3, 128, 3, 2, "leaky"), p4), 64, 128)
    n5 = elan(net.concat(net.conv(n4, 256, 3, 2, "leaky"), p5), 128, 256)
    return net.model(*[net.conv(net.conv(v, net.shape[v][1] * 2, 3, act="leaky"), 255, act=None, norm=False)
                       for v in (p3, n4, n5)])


def efficientdet(size):
    """EfficientDet-D0."""
    net = Net(size)
    x, stages = net.conv("x", 32, 3, 2, "swish"), []
    for width, depth, stride, expansion, kernel in ((16, 1, 1, 1, 3), (24, 2, 2, 6, 3), (40, 2, 2, 6, 5),
                                                    (80, 3, 2, 6, 3), (112, 3, 1, 6, 5), (192, 4, 2, 6, 5),
                                                    (320, 1, 1, 6, 3)):
        for i in range(depth):
            x = inverted(net, x, width, expansion, kernel, stride if i == 0 else 1, "swish", 4 * expansion)
        stages.append(x)
    levels = [net.conv(stages[i], 64, act=None) for i in (2, 4, 6)]
    levels.append(net.pool(net.conv(stages[6], 64, act=None)))
    levels.append(net.pool(levels[-1]))
    separable = lambda v, width=64, act=None: net.conv(net.depthwise(v, act=None), width, act=act)
    fuse = lambda *values: separable(net.act(reduce(net.add, values), "swish"))
    for _ in range(3):
        down = list(levels)
        for i in (3, 2, 1, 0):
            down[i] = fuse(levels[i], net.resize(down[i + 1], levels[i], "nearest"))
        up = list(down)
        for i in (1, 2, 3, 4):
            pooled = net.pool(up[i - 1])
            up[i] = fuse(levels[i], down[i], pooled) if i < 4 else fuse(levels[i], pooled)
        levels = up
    results = []
    for x in levels:
        for count in (810, 36):
            y = x
            for _ in range(3):
                y = separable(y, act="swish")
            results.append(separable(y, count))
    return net.model(*results)


def ssdlite(size):
    net = Net(size)
    stages = mobilenet_v3(net)
    x, results = net.conv(stages[-1], 480, act="hswish"), [stages[-2]]
    results.append(x)
    for width in (512, 256, 256):
        x = net.conv(net.depthwise(net.conv(x, width // 2), 3, 2), width)
        results.append(x)
    return net.model(*[net.conv(net.depthwise(v), count, act=None, norm=False) for v in results for count in (24, 546)])


def nanodet(size):
    """NanoDet-Plus: ShuffleNetV2 and ghost blocks."""
    net = Net(size)
    x, stages = net.pool(net.conv("x", 24, 3, 2, "leaky")), []
    for width, depth in ((116, 4), (232, 8), (464, 4)):
        for i in range(depth):
            left, right = (x, x) if i == 0 else net.split(x)
            if i == 0:
                left = net.conv(net.depthwise(x, 3, 2, None), width // 2, act="leaky")
            right = net.depthwise(net.conv(right, width // 2, act="leaky"), 3, 2 if i == 0 else 1, None)
            x = shuffle(net, net.concat(left, net.conv(right, width // 2, act="leaky")))
        stages.append(x)
    tops = [net.conv(s, 96, act="leaky") for s in stages]

    def ghost(v):
        y = net.conv(v, 48, act="leaky")
        y = net.concat(y, net.depthwise(y, 3, 1, "leaky"))
        return net.concat(net.conv(y, 48, act=None), net.depthwise(net.conv(y, 48, act=None), 3, 1, None))

    for i in (1, 0):
        tops[i] = ghost(net.concat(net.resize(tops[i + 1], tops[i]), tops[i]))
    for i in (1, 2):
        low = net.conv(net.depthwise(tops[i - 1], 5, 2, "leaky"), 96, act="leaky")
        tops[i] = ghost(net.concat(low, tops[i]))
    results = []
    for x in tops:
        for _ in range(2):
            x = net.conv(net.depthwise(x, 5, 1, "leaky"), 96, act="leaky")
        results.append(net.conv(x, 112, act=None, norm=False))
    return net.model(*results)


def blazeface(size):
    net = Net(size)
    x, results = net.conv("x", 24, 5, 2), []
    for width, stride in ((24, 1), (28, 1), (32, 2), (36, 1), (42, 1), (48, 2), (56, 1), (64, 1), (72, 1), (80, 1),
                          (88, 1), (96, 2), *[(96, 1)] * 4):
        y = net.conv(net.depthwise(x, 3, stride, None), width, act=None, norm=False)
        x = net.pool(x, 2, 2, pad=0) if stride == 2 else x
        more = width - net.shape[x][1]
        if more:
            pads = net.weight([0, 0, 0, 0, 0, more, 0, 0], np.int64)
            x = net.op("Pad", [x, pads], net.shape[y])
        x = net.add(x, y, "relu")
        if width == 88 or len(results) == 0 and width == 96:
            results.append(x)
    return net.model(*[net.conv(v, count, act=None, norm=False) for v in (results[0], x) for count in (2, 32)])


def retinaface(size):
    net = Net(size)
    x, stages = net.conv("x", 8, 3, 2, "leaky"), []
    for width, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)):
        if stride == 2 and width > 32:
            stages.append(x)
        x = net.conv(net.depthwise(x, 3, stride, "leaky"), width, act="leaky")
    results = []
    for x in fpn(net, stages[1:] + [x], 64):
        left, y = net.conv(x, 32, 3, act=None), net.conv(x, 16, 3, act="leaky")
        z = net.conv(net.conv(y, 16, 3, act="leaky"), 16, 3, act=None)
        x = net.act(net.concat(left, net.conv(y, 16, 3, act=None), z), "relu")
        results += [net.conv(x, count, act=None, norm=False) for count in (4, 8, 20)]
    return net.model(*results)


def lraspp(size):
    net = Net(size)
    stages = mobilenet_v3(net)
    low, x = stages[2], net.conv(stages[-1], 960, act="hswish")
    y = net.mul(net.conv(x, 128), net.conv(net.mean(x), 128, act="sigmoid", norm=False))
    y = net.resize(y, low)
    y = net.add(net.conv(low, 21, act=None, norm=False), net.conv(y, 21, act=None, norm=False))
    return net.model(net.classes(y, 21))


def deeplabv3_mobilenet(size):
    net = Net(size)
    x = mobilenet_v2_stages(net, last_stride=1)
    return net.model(net.classes(net.conv(aspp(net, x, (6, 12, 18)), 256, 3)))


def fcn_resnet50(size):
    net = Net(size)
    return net.model(net.classes(net.conv(resnet50(net, 8, deep=False)[-1], 512, 3), 21))


def pidnet(size):
    """PIDNet-S: three branches."""
    net = Net(size)
    x = basic(net, basic(net, net.conv(net.conv("x", 32, 3, 2), 32, 3, 2), 32), 32)
    x = basic(net, basic(net, x, 64, 2), 64)
    detail, border = basic(net, basic(net, x, 64), 64), basic(net, x, 32)
    low = x
    for width in (128, 256):
        low = basic(net, basic(net, basic(net, low, width, 2), width), width)
        side = net.resize(net.conv(low, 64, act=None), detail)
        gate = net.act(net.mul(net.conv(detail, 64, act=None), side), "sigmoid")
        detail = net.add(net.mul(gate, side), detail)
        border = net.add(border, net.resize(net.conv(low, 32, 3, act=None), border)) if width == 128 else border
        detail = basic(net, basic(net, detail, 64), 64)
    low = basic(net, low, 512, 2)
    parts = [net.conv(low, 96)]
    parts.append(net.resize(net.conv(net.mean(low), 96), low))
    low = net.conv(net.concat(*parts), 128)
    y = net.add(net.conv(detail, 128), net.resize(low, detail))
    y = net.mul(y, net.act(net.conv(border, 128, act=None), "sigmoid"))
    return net.model(net.classes(net.conv(y, 128, 3)))


def erfnet(size):
    """ERFNet: windows of 3x1 and 1x3."""
    net = Net(size)

    def down(x, outputs):
        rest = outputs - net.shape[x][1]
        return net.act(net.concat(net.conv(x, rest, 3, 2, None), net.pool(x, 2, 2, pad=0)), "relu")

    def factorized(x):
        width = net.shape[x][1]
        y = net.conv_of(net.conv_of(x, width, (3, 1)), width, (1, 3))
        y = net.conv_of(net.conv_of(y, width, (3, 1)), width, (1, 3), act=None)
        return net.add(x, y, "relu")

    x = down(down("x", 16), 64)
    for _ in range(5):
        x = factorized(x)
    x = down(x, 128)
    for _ in range(8):
        x = factorized(x)
    for width in (64, 16):
        x = factorized(factorized(net.deconv(x, width)))
    return net.model(net.deconv(x, 20, 2))


def unet_plus_plus(size):
    net = Net(size)
    double = lambda v, width: net.conv(net.conv(v, width, 3), width, 3)
    widths = (32, 64, 128, 256)
    columns = [[double("x", 32)]]
    for width in widths[1:]:
        columns.append([double(net.pool(columns[-1][0], 2, 2, pad=0), width)])
    for step in range(1, 4):
        for i in range(4 - step):
            up = net.resize(columns[i + 1][step - 1], columns[i][0])
            columns[i].append(double(net.concat(*columns[i], up), widths[i]))
    return net.model(net.classes(columns[0][-1]))


def linknet(size):
    net = Net(size)
    stages = resnet18(net)
    x = stages[-1]
    for low in (*reversed(stages[:-1]), None):
        width = net.shape[low][1] if low else 64
        x = net.conv(net.deconv(net.conv(x, net.shape[x][1] // 4), net.shape[x][1] // 4), width)
        x = net.add(x, low) if low else x
    return net.model(net.classes(net.conv(net.deconv(x, 32), 32, 3)))


def simple_pose(size):
    net = Net(size)
    x = resnet50(net, deep=False)[-1]
    for _ in range(3):
        x = net.deconv(x, 256)
    return net.model(net.conv(x, 17, act=None, norm=False))


def hourglass(size):
    net = Net(size)

    def residual(x):
        y = net.conv(net.conv(net.conv(x, 64), 64, 3), 128, act=None)
        return net.add(x, y, "relu")

    def glass(x, depth):
        y = residual(net.pool(x, 2, 2, pad=0))
        y = residual(glass(y, depth - 1) if depth > 1 else residual(y))
        return net.add(residual(x), net.resize(y, x, "nearest"))

    x = net.conv(net.conv("x", 64, 7, 2), 128)
    x = residual(net.pool(residual(x), 2, 2, pad=0))
    return net.model(net.conv(net.conv(residual(glass(x, 3)), 128), 17, act=None, norm=False))


def dbnet(size):
    """Text detection: MobileNetV3 and a pyramid of 96 channels."""
    net = Net(size)
    stages = mobilenet_v3(net)[1:]
    sides = [net.conv(x, 96, act=None, norm=False) for x in stages]
    for i in reversed(range(len(sides) - 1)):
        sides[i] = net.add(sides[i], net.resize(sides[i + 1], sides[i], "nearest"))
    parts = [net.resize(net.conv(x, 24, 3, norm=False), sides[0], "nearest") for x in sides]
    x = net.conv(net.concat(*parts), 24, 3)
    x = net.act(net.deconv(net.deconv(x, 24, 2), 1, 2), "sigmoid")
    return net.model(x)


def pixel_shuffle(net, x, factor):
    _, channels, height, width = net.shape[x]
    return net.op("DepthToSpace", [x], (1, channels // factor**2, height * factor, width * factor), blocksize=factor,
                  mode="CRD")


def espcn(size):
    net = Net(size)
    x = net.conv(net.conv("x", 64, 5, norm=False), 64, 3, norm=False)
    x = net.conv(net.conv(x, 32, 3, norm=False), 27, 3, act=None, norm=False)
    return net.model(pixel_shuffle(net, x, 3))


def edsr(size):
    net = Net(size)
    first = x = net.conv("x", 64, 3, act=None, norm=False)
    for _ in range(8):
        x = net.add(x, net.conv(net.conv(x, 64, 3, norm=False), 64, 3, act=None, norm=False))
    x = net.add(net.conv(x, 64, 3, act=None, norm=False), first)
    x = pixel_shuffle(net, net.conv(x, 256, 3, act=None, norm=False), 2)
    return net.model(net.conv(x, 3, 3, act=None, norm=False))


def dncnn(size):
    net = Net(size)
    x = net.conv("x", 64, 3, norm=False)
    for _ in range(10):
        x = net.conv(x, 64, 3)
    return net.model(net.op("Sub", ["x", net.conv(x, 3, 3, act=None, norm=False)], net.shape["x"]))


def style_transfer(size):
    """Fast neural style: windows of 9x9, instance normalization, transposed convolutions."""
    net = Net(size)

    def conv(x, outputs, kernel, stride=1, act="relu"):
        y = net.conv(x, outputs, kernel, stride, None, norm=False)
        scale, bias = net.weight(np.ones(outputs)), net.weight(np.zeros(outputs))
        return net.act(net.op("InstanceNormalization", [y, scale, bias], net.shape[y]), act)

    x = conv(conv(conv("x", 32, 9), 64, 3, 2), 128, 3, 2)
    for _ in range(5):
        x = net.add(x, conv(conv(x, 128, 3), 128, 3, 1, None))
    x = net.deconv(net.deconv(x, 64), 32)
    return net.model(net.conv(x, 3, 9, act=None, norm=False))


def mobilefacenet(size):
    """Inverted residuals with PReLU, and a depthwise window of the whole image."""
    net = Net(size)
    prelu = lambda v: net.op("PRelu", [v, net.weight(np.full((net.shape[v][1], 1, 1), 0.2))], net.shape[v])
    conv = lambda v, width, *more: prelu(net.conv(v, width, *more, act=None))
    depthwise = lambda v, stride=1: prelu(net.depthwise(v, 3, stride, None))
    x = depthwise(conv("x", 64, 3, 2))
    for width, middle, depth, stride in ((64, 128, 5, 2), (128, 256, 1, 2), (128, 256, 6, 1), (128, 512, 1, 2),
                                         (128, 256, 2, 1)):
        for i in range(depth):
            y = net.conv(depthwise(conv(x, middle), stride if i == 0 else 1), width, act=None)
            x = net.add(x, y) if net.shape[x] == net.shape[y] else y
    x = conv(x, 512)
    x = net.conv(x, 512, net.shape[x][2], act=None, groups=512, pad=0)
    return net.model(net.conv(x, 128, act=None))


NETWORKS = {
    "yolov5n": (lambda size: yolo(size, csp), 160),
    "yolov8n": (lambda size: yolo(size, c2f, first=3, decoupled=True), 160),
    "yolov7_tiny": (yolov7_tiny, 160), "efficientdet": (efficientdet, 128), "ssdlite": (ssdlite, 160),
    "nanodet": (nanodet, 160), "blazeface": (blazeface, 128), "retinaface": (retinaface, 160), "lraspp": (lraspp, 128),
    "deeplabv3_mobilenet": (deeplabv3_mobilenet, 128), "fcn_resnet50": (fcn_resnet50, 64), "pidnet": (pidnet, 128),
    "erfnet": (erfnet, 128), "unet_plus_plus": (unet_plus_plus, 64), "linknet": (linknet, 128),
    "simple_pose": (simple_pose, 128), "hourglass": (hourglass, 128), "dbnet": (dbnet, 160), "espcn": (espcn, 96),
    "edsr": (edsr, 48), "dncnn": (dncnn, 64), "style_transfer": (style_transfer, 64),
    "mobilefacenet": (mobilefacenet, 112)}
