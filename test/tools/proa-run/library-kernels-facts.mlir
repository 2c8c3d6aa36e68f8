// Facts of a file decide which kernel computes a convolution: with slow memory the transforms of Winograd take longer.
// RUN: env PROA_MAX_CPU_ISA=avx2 proa-run %s -i random:1 --cache off --remarks=library-kernels 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: echo '{"cpu": {"memory_bandwidth": 500}}' > %t.json
// RUN: env PROA_MAX_CPU_ISA=avx2 proa-run %s -i random:1 --cache off --remarks=library-kernels --target-facts=%t.json 2>&1 | FileCheck %s --check-prefix=SLOW

// KNOWN: net.py:1{{.*}}library-kernels: a convolution is computed by Winograd 4x4, {{[0-9.]+}} us estimated; {{.*}}oneDNN {{[0-9.]+}} us
// SLOW: net.py:1{{.*}}library-kernels: a convolution is computed by indirect, {{[0-9.]+}} us estimated; {{.*}}Winograd 4x4 {{[0-9.]+}} us
func.func @main(%x: tensor<1x64x56x56xf32> {pd.feed = "x"}) -> (tensor<1x64x56x56xf32> {pd.fetch = "y"}) {
  %w = pd.full {shape = array<i64: 64, 64, 3, 3>, value = 0.1 : f64, dtype = f32} : () -> tensor<64x64x3x3xf32>
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> loc("net.py":1:1)
  return %0 : tensor<1x64x56x56xf32>
}
