"""Networks of the package timm with random weights, as ONNX models that PyTorch's exporter writes, for networks.py.

Each is among the smallest networks of a module of timm, of at most 60 million weights; the exporter by tracing accepts
them.
Needs the packages torch, timm and onnx."""
import io
import warnings

import numpy as np

NETWORKS = """
caformer_s18 cait_xxs24_224 coat_tiny convit_tiny convmixer_768_32 convnext_atto_rms cpubone_nano crossvit_tiny_240
cs3darknet_focus_s cspnext_tiny deit_tiny_patch16_224 densenet121 dla34 dpn48b edgenext_xx_small efficientformer_l1
efficientformerv2_s0 efficientvim_m1 efficientvit_b0 efficientvit_m0 ese_vovnet19b_slim_dw fasternet_t0 fastvit_s12
gcvit_xxtiny ghostnet_050 hardcorenas_b hgnetv2_b0 hrnet_w18_small iformer_s inception_next_atto inception_v3
lcnet_035 lcnetv2_small legacy_seresnet18 legacy_xception lowformer_b0 mambaout_femto maxvit_pico_rw_256 mixer_s16_224
mobileone_s1 mobilevit_xxs mvitv2_tiny nest_tiny nf_regnet_b0 pit_xs_224 pvt_v2_b0 rdnet_tiny regnetx_002
repghostnet_050 repvit_m1 res2net50_26w_4s resnest14d resnet18 resnetv2_18 rexnet_100 sam2_hiera_tiny sequencer2d_s
shvit_s1 skresnet18 starnet_s1 swiftformer_xs tiny_vit_5m_224 tinynet_c tnt_s_legacy_patch16_224 twins_svt_small
visformer_tiny vit_srelpos_small_patch16_224 vit_tiny_patch16_224 vit_tiny_r_s16_p8_224 vitamin_small_224 xception41p
xcit_nano_12_p8_224
""".split()


def randomize(network):
    """Normalizations that change what they normalize: in a new network they only copy it."""
    import torch

    random = torch.Generator().manual_seed(1)
    for name, buffer in network.named_buffers():
        if name.endswith("running_mean"):
            buffer.copy_(0.1 * torch.randn(buffer.shape, generator=random))
        elif name.endswith("running_var"):
            buffer.copy_(0.75 + 0.5 * torch.rand(buffer.shape, generator=random))
    for name, weight in network.named_parameters():
        if weight.ndim == 1:
            noise = torch.rand(weight.shape, generator=random)
            weight.data.copy_(0.8 + 0.4 * noise if name.endswith("weight") else 0.2 * noise - 0.1)


def build(name):
    """The ONNX model, and its feeds."""
    import timm
    import torch

    torch.manual_seed(0)
    network = timm.create_model(name, pretrained=False).eval()
    size = network.default_cfg["input_size"]
    image = np.random.default_rng(2).standard_normal((1, *size)).astype(np.float32)
    file = io.BytesIO()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        randomize(network)
        torch.onnx.export(network, (torch.from_numpy(image),), file, dynamo=False, opset_version=17, input_names=["x"])
    return file.getvalue(), {"x": image}
