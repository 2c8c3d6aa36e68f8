// RUN: proa-opt %s --split-input-file --dist-apply-strategy=strategy=dp2,mp2 --remarks=dist-apply-strategy --verify-diagnostics | FileCheck %s

// The inner dimension of two products is one component: columns of the first weight, the bias, rows of the second. The
// columns of the second weight would cost nothing, but split only one product.
// CHECK: dist.mesh @mesh = <["dp"=2, "mp"=2]>
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<8x16xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>, pd.feed = "x"}
// CHECK-SAME: %arg1: tensor<16x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>
// CHECK-SAME: %arg2: tensor<64xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}]>
// CHECK-SAME: %arg3: tensor<64x16xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>
func.func @main(%x: tensor<8x16xf32> {pd.feed = "x"}, %w: tensor<16x64xf32> {pd.param = "w"},
                %b: tensor<64xf32> {pd.param = "b"}, %v: tensor<64x16xf32> {pd.param = "v"}) -> tensor<8x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %1 = pd.add %0, %b : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %2 = pd.matmul %1, %v : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// Heads: the outer factor of the columns, through a reshape. 3 heads cannot be split in two, and neither can their
// columns. The second feed has the batch too; the third has another size.
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<2x8x32xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}, {}]>
// CHECK-SAME: %arg1: tensor<2xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}]>
// CHECK-SAME: %arg2: tensor<3xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>
// CHECK-SAME: %arg3: tensor<32x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>
// CHECK-SAME: %arg4: tensor<32x48xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>
func.func @main(%x: tensor<2x8x32xf32> {pd.feed = "x"}, %mask: tensor<2xf32> {pd.feed = "mask"},
                %other: tensor<3xf32> {pd.feed = "other"}, %w: tensor<32x64xf32> {pd.param = "w"},
                %v: tensor<32x48xf32> {pd.param = "v"}) -> (tensor<2x8x4x16xf32>, tensor<2x8x3x16xf32>) {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xf32>, tensor<32x64xf32>) -> tensor<2x8x64xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 8, 4, 16>} : (tensor<2x8x64xf32>) -> tensor<2x8x4x16xf32>
  %2 = pd.matmul %x, %v : (tensor<2x8x32xf32>, tensor<32x48xf32>) -> tensor<2x8x48xf32>
  %3 = pd.reshape %2 {shape = array<i64: 2, 8, 3, 16>} : (tensor<2x8x48xf32>) -> tensor<2x8x3x16xf32>
  return %1, %3 : tensor<2x8x4x16xf32>, tensor<2x8x3x16xf32>
}

// -----

// expected-warning @below {{'mp' of the strategy splits nothing: no contraction has a parameter with two dimensions}}
func.func @main(%x: tensor<8x16xf32> {pd.feed = "x"}, %b: tensor<16xf32> {pd.param = "b"}) -> tensor<8x16xf32> {
  %0 = pd.add %x, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// expected-warning @below {{'dp' of the strategy splits nothing: no feed has dimension 0}}
// expected-warning @below {{'mp' of the strategy splits nothing: no contraction has a parameter with two dimensions}}
func.func @main(%x: tensor<f32> {pd.feed = "x"}) -> tensor<f32> {
  return %x : tensor<f32>
}
