// Remarks on the kernels that the runtime chooses for convolutions, with the estimates that decide.
// RUN: env PROA_MAX_CPU_ISA=avx2 proa-run %s -i random:1 --cache off --remarks=library-kernels 2>&1 | FileCheck %s
// RUN: env PROA_MAX_CPU_ISA=avx2 proa-run %s -i random:1 --cache off 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: library-kernels
// NONE: steady
// NONE-NOT: library-kernels

// CHECK-DAG: few.py:1{{.*}}library-kernels: a convolution is computed by planes, {{[0-9.]+}} us estimated; oneDNN {{[0-9.]+}} us; pixels {{[0-9.]+}} us; not
// CHECK-DAG: wide.py:2{{.*}}library-kernels: a convolution is computed by Winograd 4x4, {{[0-9.]+}} us estimated; {{.*}}oneDNN {{[0-9.]+}} us
// CHECK-DAG: large.py:3{{.*}}library-kernels: a convolution is computed by indirect, {{[0-9.]+}} us estimated; {{.*}}not Winograd 2x2: not a 3x3 filter
// CHECK-DAG: groups.py:4{{.*}}library-kernels: a convolution is computed by grouped, {{[0-9.]+}} us estimated; {{.*}}oneDNN {{[0-9.]+}} us
// A filter that is not constant has a Winograd convolution too, but no indirect one.
// CHECK-DAG: given.py:5{{.*}}library-kernels: a convolution is computed by {{.*}}; not indirect: the filter is not constant
func.func @main(%x: tensor<1x12x32x32xf32> {pd.feed = "x"}, %y: tensor<1x32x32x32xf32> {pd.feed = "y"}, %f: tensor<32x32x3x3xf32> {pd.feed = "f"})
    -> (tensor<1x12x32x32xf32> {pd.fetch = "few"}, tensor<1x32x32x32xf32> {pd.fetch = "wide"}, tensor<1x32x32x32xf32> {pd.fetch = "large"},
        tensor<1x32x32x32xf32> {pd.fetch = "groups"}, tensor<1x32x32x32xf32> {pd.fetch = "given"}) {
  %w0 = pd.full {shape = array<i64: 12, 1, 3, 3>, value = 0.1 : f64, dtype = f32} : () -> tensor<12x1x3x3xf32>
  %w1 = pd.full {shape = array<i64: 32, 32, 3, 3>, value = 0.1 : f64, dtype = f32} : () -> tensor<32x32x3x3xf32>
  %w2 = pd.full {shape = array<i64: 32, 32, 5, 5>, value = 0.1 : f64, dtype = f32} : () -> tensor<32x32x5x5xf32>
  %w3 = pd.full {shape = array<i64: 32, 4, 3, 3>, value = 0.1 : f64, dtype = f32} : () -> tensor<32x4x3x3xf32>
  %0 = pd.conv2d %x, %w0 {paddings = array<i64: 2, 2>, dilations = array<i64: 2, 2>, groups = 12 : i64} : (tensor<1x12x32x32xf32>, tensor<12x1x3x3xf32>) -> tensor<1x12x32x32xf32> loc("few.py":1:1)
  %1 = pd.conv2d %y, %w1 {paddings = array<i64: 1, 1>} : (tensor<1x32x32x32xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x32x32xf32> loc("wide.py":2:1)
  %2 = pd.conv2d %y, %w2 {paddings = array<i64: 2, 2>} : (tensor<1x32x32x32xf32>, tensor<32x32x5x5xf32>) -> tensor<1x32x32x32xf32> loc("large.py":3:1)
  %3 = pd.conv2d %1, %w3 {paddings = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x32x32x32xf32>, tensor<32x4x3x3xf32>) -> tensor<1x32x32x32xf32> loc("groups.py":4:1)
  %4 = pd.conv2d %y, %f {paddings = array<i64: 1, 1>} : (tensor<1x32x32x32xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x32x32xf32> loc("given.py":5:1)
  return %0, %1, %2, %3, %4 : tensor<1x12x32x32xf32>, tensor<1x32x32x32xf32>, tensor<1x32x32x32xf32>, tensor<1x32x32x32xf32>, tensor<1x32x32x32xf32>
}
