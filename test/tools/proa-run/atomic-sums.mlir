// Sums of small parts are atomic additions with --atomic-sums, and sums over sorted keys without it. The cache
// distinguishes the two.
// RUN: proa-run %s --inputs random:0 --cache off -q -o %t.safetensors
// RUN: proa-run %s --inputs random:0 --cache %t.cache --target=cuda-emulated --expect=%t.safetensors --profile | FileCheck %s --check-prefix=SORTED
// RUN: proa-run %s --inputs random:0 --cache %t.cache --target=cuda-emulated --expect=%t.safetensors --profile --atomic-sums | FileCheck %s --check-prefix=ATOMIC
// SORTED-NOT: scatter_owned
// SORTED: scatter_sorted
// SORTED: PASS
// ATOMIC-NOT: scatter_sorted
// ATOMIC: scatter_owned
// ATOMIC: PASS
// A wrong index is an error with it too.
// RUN: sed 's/dense<\[4,/dense<[5,/' %s > %t.mlir
// RUN: not proa-run %t.mlir --inputs random:0 --cache off --target=cuda-emulated --atomic-sums 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}index 5 at [0, 0] is outside of [-5, 5)
func.func @main(%x: tensor<5xf32>, %u: tensor<6xf32>) -> tensor<5xf32> {
  %i = pd.constant dense<[4, 0, -1, 4, 2, 4]> : tensor<6xi64>
  %k = pd.reshape %i {shape = array<i64: 6, 1>} : (tensor<6xi64>) -> tensor<6x1xi64>
  %0 = pd.scatter_nd_add %x, %k, %u : (tensor<5xf32>, tensor<6x1xi64>, tensor<6xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
