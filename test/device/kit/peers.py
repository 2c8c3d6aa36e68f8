"""What PyTorch reaches on the device, as ceilings: a copy, cuBLAS, attention, softmax. Prints one JSON object a line:
name, milliseconds (median of CUDA events), bytes and operations."""

import json
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

REPEAT = 20


def report(name, run, bytes=0, flops=0):
    try:
        for _ in range(3):
            run()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(REPEAT + 1)]
        for event in events[:-1]:
            event.record()
            run()
        events[-1].record()
        torch.cuda.synchronize()
        times = [a.elapsed_time(b) for a, b in zip(events, events[1:])]
        print(json.dumps({"name": name, "ms": statistics.median(times), "bytes": bytes, "flops": flops}), flush=True)
    except RuntimeError as error:
        print(json.dumps({"name": name, "error": str(error).splitlines()[0]}), flush=True)


def random(*dims, dtype=torch.float32, **flags):
    return torch.rand(*dims, device="cuda", dtype=torch.float32).mul_(2).sub_(1).to(dtype).requires_grad_(bool(flags))


def copies():
    for name, x in (("copy_f32", random(8192, 8192)), ("copy_bf16", random(16384, 8192, dtype=torch.bfloat16))):
        y = torch.empty_like(x)
        report(name, lambda: y.copy_(x), bytes=2 * x.numel() * x.element_size())


def products():
    for dtype, kind, sizes in (("bf16", torch.bfloat16, (1024, 4096, 8192)), ("f16", torch.float16, (4096,)),
                               ("f32", torch.float32, (4096,))):
        for n in sizes:
            a, b = random(n, n, dtype=kind), random(n, n, dtype=kind)
            report(f"matmul_{dtype}_{n}", lambda: a @ b, flops=2 * n ** 3)
    x, w = random(1, 4096, dtype=torch.bfloat16), random(4096, 4096, dtype=torch.bfloat16)
    report("gemv_bf16", lambda: x @ w, bytes=2 * 4096 * 4096)


def attentions():
    for depth, is_causal in ((128, False), (128, True), (64, False)):
        q, k, v = (random(1, 16, 4096, depth, dtype=torch.bfloat16) for _ in range(3))
        flops = 4 * 16 * 4096 * 4096 * depth / (2 if is_causal else 1)
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            name = f"sdpa_d{depth}" + ("_causal" if is_causal else "")
            with sdpa_kernel(backend):
                report(name if backend == SDPBackend.CUDNN_ATTENTION else name + "_flash2",
                       lambda: F.scaled_dot_product_attention(q, k, v, is_causal=is_causal), flops=flops)
    q, k, v = (random(1, 16, 2048, 128, dtype=torch.bfloat16, grad=True) for _ in range(3))
    g = random(1, 16, 2048, 128, dtype=torch.bfloat16)

    def step():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            torch.autograd.grad(F.scaled_dot_product_attention(q, k, v), (q, k, v), g)

    report("sdpa_grad_d128", step, flops=14 * 16 * 2048 * 2048 * 128)


def rows():
    for name, dims, dtype in (("softmax_8k", (8192, 8192), torch.float32),
                              ("softmax_32k", (4096, 32768), torch.bfloat16),
                              ("softmax_131k", (512, 131072), torch.float32)):
        x = random(*dims, dtype=dtype)
        report("torch_" + name, lambda: torch.softmax(x, 1), bytes=2 * x.numel() * x.element_size())
    x = random(8192, 8192)
    report("torch_transpose_f32", lambda: x.t().contiguous(), bytes=2 * x.numel() * 4)
    report("torch_sum_columns_f32", lambda: x.sum(0), bytes=x.numel() * 4)


if __name__ == "__main__":
    copies()
    products()
    attentions()
    rows()
