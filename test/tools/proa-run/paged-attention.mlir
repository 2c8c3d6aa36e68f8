// An entry of the block table that is not a block of the cache ends the run, on each device.

// RUN: not proa-run %s --cache off --inputs random:0 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not proa-run %s --cache off --inputs random:0 --target=cuda-emulated 2>&1 | FileCheck %s --check-prefix=GPU
// CPU: error: {{.*}}paged-attention.mlir:{{[0-9]+}}{{.*}}9
// GPU: error: {{.*}}paged-attention.mlir:{{[0-9]+}}{{.*}}index 9 at [1, 1] is outside of [0, 4)

// Entries of blocks without keys are not read: with two keys less the second entry of the second sequence is one.
// RUN: sed 's/\[5, 6\]/[5, 4]/' %s > %t.mlir
// RUN: proa-run %t.mlir --cache off --inputs random:0 --outputs %t.safetensors
// RUN: proa-run %t.mlir --cache off --inputs random:0 --target=cuda-emulated --expect=%t.safetensors
func.func @main(%q: tensor<2x2x8xf32>, %c: tensor<4x2x4x8xf32>) -> tensor<2x2x8xf32> {
  %t = pd.constant dense<[[3, 0], [2, 9]]> : tensor<2x2xi32>
  %n = pd.constant dense<[5, 6]> : tensor<2xi32>
  %0 = pd.paged_attention %q, %c, %c, %t, %n {scale = 0.5 : f64}
      : (tensor<2x2x8xf32>, tensor<4x2x4x8xf32>, tensor<4x2x4x8xf32>, tensor<2x2xi32>, tensor<2xi32>)
      -> tensor<2x2x8xf32>
  return %0 : tensor<2x2x8xf32>
}
