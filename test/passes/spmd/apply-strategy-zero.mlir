// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2,zero1 | FileCheck %s --check-prefixes=CHECK,ZERO1
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2,zero2 | FileCheck %s --check-prefixes=CHECK,ZERO2
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2,zero3 | FileCheck %s --check-prefixes=CHECK,ZERO3
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2 | FileCheck %s --check-prefix=NONE

// States of the optimizer are split along a dimension that the devices divide, stages 2 and 3 also split gradients and
// parameters. The running mean is a state, but not of the optimizer.
// NONE-LABEL: @main
// NONE-NOT: "dp"}]>, pd.param
// NONE-NOT: dist.constrain
// CHECK-LABEL: @main
// ZERO1-SAME: %arg1: tensor<3x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, pd.param = "w"}
// ZERO2-SAME: %arg1: tensor<3x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, pd.param = "w"}
// ZERO3-SAME: %arg1: tensor<3x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>, pd.param = "w"}
// CHECK-SAME: %arg2: tensor<3x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>, pd.param = "velocity"}
// CHECK-SAME: %arg3: tensor<f32> {dist.sharding = #dist.sharding<@mesh, []>, pd.param = "rate"}
// CHECK-SAME: %arg4: tensor<16xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>, pd.param = "mean"}
// ZERO3: dist.constrain %arg1 to <@mesh, [{}, {}]>
// CHECK: %[[G:.*]] = pd.matmul {{.*}} : (tensor<3x8xf32>, tensor<8x16xf32>)
// ZERO1: dist.constrain %[[G]] to <@mesh, [{}, {}]>
// ZERO2: dist.constrain %[[G]] to <@mesh, [{}, {"dp"}]>
// ZERO3: dist.constrain %[[G]] to <@mesh, [{}, {"dp"}]>
func.func @main(%x: tensor<8x3xf32> {pd.feed = "x"}, %w: tensor<3x16xf32> {pd.param = "w"},
                %velocity: tensor<3x16xf32> {pd.param = "velocity"}, %rate: tensor<f32> {pd.param = "rate"},
                %mean: tensor<16xf32> {pd.param = "mean"})
    -> (tensor<3x16xf32> {pd.state = "w"}, tensor<3x16xf32> {pd.state = "velocity"},
        tensor<16xf32> {pd.state = "mean"}) {
  %0 = pd.matmul %x, %w : (tensor<8x3xf32>, tensor<3x16xf32>) -> tensor<8x16xf32>
  %1 = pd.mean %0 {axis = array<i64: 0>} : (tensor<8x16xf32>) -> tensor<16xf32>
  %2 = pd.add %mean, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<8x3xf32>) -> tensor<3x8xf32>
  %4 = pd.matmul %3, %0 : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %5:2 = pd.momentum %w, %4, %velocity, %rate {mu = 9.000000e-01 : f64}
    : (tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<f32>) -> (tensor<3x16xf32>, tensor<3x16xf32>)
  return %5#0, %5#1, %2 : tensor<3x16xf32>, tensor<3x16xf32>, tensor<16xf32>
}
