// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2 --split-input-file | FileCheck %s
// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2 --dist-propagate=check --split-input-file | FileCheck %s --check-prefix=PLAN

// The fused projection of query, key and value: its columns are 3 x 4 heads x 8. The slices need the dimension of size 3
// whole, so the heads are split, which are some columns of each block. One reduction follows the last product.
// CHECK-LABEL: @main
// CHECK-SAME: %arg1: tensor<32x96xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"} blocks(3 * 32)]>
// CHECK-SAME: %arg2: tensor<32x32xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>
// PLAN-LABEL: @main
// PLAN: pd.reshape {{.*}} {dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}, {"mp"}, {}]>]
// PLAN: pd.softmax {{.*}}dist.shardings = [#dist.sharding<@mesh, [{}, {"mp"}, {}, {}]>]
// PLAN: dist.reshard {{.*}} partial = [sum {"mp"}]> to <@mesh, [{}, {}, {}]>
// PLAN-NEXT: return
func.func @main(%x: tensor<2x8x32xf32> {pd.feed = "x"}, %w: tensor<32x96xf32> {pd.param = "w"}, %o: tensor<32x32xf32> {pd.param = "o"})
    -> tensor<2x8x32xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xf32>, tensor<32x96xf32>) -> tensor<2x8x96xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 8, 3, 4, 8>} : (tensor<2x8x96xf32>) -> tensor<2x8x3x4x8xf32>
  %2 = pd.transpose %1 {perm = array<i64: 2, 0, 3, 1, 4>} : (tensor<2x8x3x4x8xf32>) -> tensor<3x2x4x8x8xf32>
  %q1 = pd.slice %2 {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>} : (tensor<3x2x4x8x8xf32>) -> tensor<1x2x4x8x8xf32>
  %k1 = pd.slice %2 {axes = array<i64: 0>, starts = array<i64: 1>, ends = array<i64: 2>} : (tensor<3x2x4x8x8xf32>) -> tensor<1x2x4x8x8xf32>
  %v1 = pd.slice %2 {axes = array<i64: 0>, starts = array<i64: 2>, ends = array<i64: 3>} : (tensor<3x2x4x8x8xf32>) -> tensor<1x2x4x8x8xf32>
  %q = pd.reshape %q1 {shape = array<i64: 2, 4, 8, 8>} : (tensor<1x2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %k = pd.reshape %k1 {shape = array<i64: 2, 4, 8, 8>} : (tensor<1x2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %v = pd.reshape %v1 {shape = array<i64: 2, 4, 8, 8>} : (tensor<1x2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %4 = pd.softmax %3 {axis = -1 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %5 = pd.matmul %4, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %6 = pd.transpose %5 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x8x8xf32>) -> tensor<2x8x4x8xf32>
  %7 = pd.reshape %6 {shape = array<i64: 2, 8, 32>} : (tensor<2x8x4x8xf32>) -> tensor<2x8x32xf32>
  %8 = pd.matmul %7, %o : (tensor<2x8x32xf32>, tensor<32x32xf32>) -> tensor<2x8x32xf32>
  return %8 : tensor<2x8x32xf32>
}

// -----

// A gated MLP: the columns are split into gate and value by pd.split, each of which is a block.
// CHECK-LABEL: @main
// CHECK-SAME: %arg1: tensor<16x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"} blocks(32, 32)]>
// CHECK-SAME: %arg2: tensor<32x16xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>
func.func @main(%x: tensor<8x16xf32> {pd.feed = "x"}, %w: tensor<16x64xf32> {pd.param = "w"}, %v: tensor<32x16xf32> {pd.param = "v"})
    -> tensor<8x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %1:2 = pd.split %0 {sections = array<i64: 32, 32>, axis = 1 : i64} : (tensor<8x64xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>)
  %2 = pd.silu %1#0 : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %3 = pd.multiply %2, %1#1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %4 = pd.matmul %3, %v : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}
