// Strategies split dims where the work that a split saves takes longer than its traffic, by the facts of the target.
// RUN: proa-opt %s --split-input-file --dist-apply-strategy=strategy=mp2 --verify-diagnostics | FileCheck %s

// The hidden dim: 65,536 multiply-adds, and a result of 2 KiB that becomes partial. A device computes 8 in the time of a
// byte.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg1: tensor<32x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>
// CHECK-SAME: %arg2: tensor<64x32xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>
func.func @main(%x: tensor<2x8x32xf32> {pd.feed = "x"}, %w: tensor<32x64xf32> {pd.param = "w"},
                %v: tensor<64x32xf32> {pd.param = "v"}) -> tensor<2x8x32xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xf32>, tensor<32x64xf32>) -> tensor<2x8x64xf32>
  %1 = pd.matmul %0, %v : (tensor<2x8x64xf32>, tensor<64x32xf32>) -> tensor<2x8x32xf32>
  return %1 : tensor<2x8x32xf32>
}

// -----
// CHECK-LABEL: func.func @main
// Then the columns of the last product are split.
// CHECK-SAME: %arg1: tensor<32x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>
// CHECK-SAME: %arg2: tensor<64x32xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>
module attributes {proa.target = #proa.target<cpu "avx2" {link_bandwidth = 1000}>} {
func.func @main(%x: tensor<2x8x32xf32> {pd.feed = "x"}, %w: tensor<32x64xf32> {pd.param = "w"},
                %v: tensor<64x32xf32> {pd.param = "v"}) -> tensor<2x8x32xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xf32>, tensor<32x64xf32>) -> tensor<2x8x64xf32>
  %1 = pd.matmul %0, %v : (tensor<2x8x64xf32>, tensor<64x32xf32>) -> tensor<2x8x32xf32>
  return %1 : tensor<2x8x32xf32>
}
}

// -----
// A faster device would wait for messages. 31 columns cannot be split.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg1: tensor<32x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>
module attributes {proa.target = #proa.target<cpu "avx2" {matmul_rate = 800000}>} {
// expected-warning @below {{its traffic takes longer than the work that a split saves (6.45e+04 multiply-adds of float32, 1.98e+03 bytes; the device computes 80 in the time of a byte)}}
func.func @main(%x: tensor<2x8x32xf32> {pd.feed = "x"}, %w: tensor<32x64xf32> {pd.param = "w"},
                %v: tensor<64x31xf32> {pd.param = "v"}) -> tensor<2x8x31xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xf32>, tensor<32x64xf32>) -> tensor<2x8x64xf32>
  %1 = pd.matmul %0, %v : (tensor<2x8x64xf32>, tensor<64x31xf32>) -> tensor<2x8x31xf32>
  return %1 : tensor<2x8x31xf32>
}
}

// -----
// On a GPU float32 is multiplied without tensor cores.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg1: tensor<32x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {link_bandwidth = 7413120}>} {
func.func @main(%x: tensor<2x8x32xf32> {pd.feed = "x"}, %w: tensor<32x64xf32> {pd.param = "w"},
                %v: tensor<64x31xf32> {pd.param = "v"}) -> tensor<2x8x31xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xf32>, tensor<32x64xf32>) -> tensor<2x8x64xf32>
  %1 = pd.matmul %0, %v : (tensor<2x8x64xf32>, tensor<64x31xf32>) -> tensor<2x8x31xf32>
  return %1 : tensor<2x8x31xf32>
}
}

// -----
// Tensor cores multiply bfloat16 16 times as fast, and half of the bytes move: a split does not pay.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg1: tensor<32x64xbf16> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {link_bandwidth = 7413120}>} {
// expected-warning @below {{its traffic takes longer than the work that a split saves (4.03e+03 multiply-adds of float32, 992 bytes; the device computes 8 in the time of a byte)}}
func.func @main(%x: tensor<2x8x32xbf16> {pd.feed = "x"}, %w: tensor<32x64xbf16> {pd.param = "w"},
                %v: tensor<64x31xbf16> {pd.param = "v"}) -> tensor<2x8x31xbf16> {
  %0 = pd.matmul %x, %w : (tensor<2x8x32xbf16>, tensor<32x64xbf16>) -> tensor<2x8x64xbf16>
  %1 = pd.matmul %0, %v : (tensor<2x8x64xbf16>, tensor<64x31xbf16>) -> tensor<2x8x31xbf16>
  return %1 : tensor<2x8x31xbf16>
}
}
