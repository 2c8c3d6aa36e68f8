// Kernels that only move elements have a label, too.
// RUN: rm -f %t.db.json
// RUN: proa-tune %s --count-instructions=sm_80 --trials=1 --database=%t.db.json | FileCheck %s
// CHECK: kernel 1 of 1: {{.*}} (transpose)
func.func @main(%x: tensor<8x64x32xf32> {pd.feed = "x"}) -> (tensor<8x32x64xf32> {pd.fetch = "y"}) {
  %y = pd.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<8x64x32xf32>) -> tensor<8x32x64xf32>
  return %y : tensor<8x32x64xf32>
}
