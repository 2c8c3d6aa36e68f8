// Experts over "ep", tokens over "dp" and "ep".
// RUN: proa-translate %corpus/../cases/training/moe_sgd | proa-opt --pd-refine-shapes --pd-canonicalize --pd-decompose=only=pd.vjp --pd-canonicalize --cse --dist-apply-strategy=strategy=dp2,ep2 --dist-propagate=check -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: proa-opt %t.mlir --dist-partition | FileCheck %s --check-prefix=LOCAL
// RUN: proa-opt %s --split-input-file --dist-apply-strategy=strategy=ep2 --verify-diagnostics --remarks=dist-apply-strategy | FileCheck %s --check-prefix=OTHER

// Feeds, the parameters of experts, and the parameters of the gate:
// CHECK: func.func @main(%{{.*}}: tensor<8x3x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>, pd.feed = "x"}
// CHECK-SAME: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, pd.param = "gate"}
// CHECK-SAME: tensor<4x4x6xf32> {dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>, pd.param = "first"}
// CHECK-SAME: tensor<4x6x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>, pd.param = "second"}
// Tokens go to the experts and back, and so do the gradients of the experts' results:
// LOCAL-COUNT-3: dist.all_to_all
// LOCAL-NOT: dist.all_to_all
// LOCAL: return %

// A parameter that a contraction contracts in front, one that is added, and one that the devices do not divide.
// OTHER-LABEL: @main
// OTHER-SAME: %arg1: tensor<4x6x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>
// OTHER-SAME: %arg2: tensor<4x6x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>
// OTHER-SAME: %arg3: tensor<3x6x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>
// expected-warning @below {{'ep' of the strategy splits nothing: no contraction is batched over the first dimension of a parameter that 2 divides}}
func.func @main(%x: tensor<3x4x6xf32> {pd.feed = "x"}, %contracted: tensor<4x6x8xf32> {pd.param = "contracted"},
    %added: tensor<4x6x8xf32> {pd.param = "added"}, %odd: tensor<3x6x8xf32> {pd.param = "odd"})
    -> (tensor<4x6x8xf32>, tensor<3x4x8xf32>, tensor<3x8xf32>) {
  %0 = pd.add %contracted, %added : (tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %1 = pd.matmul %x, %odd : (tensor<3x4x6xf32>, tensor<3x6x8xf32>) -> tensor<3x4x8xf32>
  %2 = pd.reshape %x {shape = array<i64: 3, 24>} : (tensor<3x4x6xf32>) -> tensor<3x24xf32>
  %3 = pd.reshape %contracted {shape = array<i64: 24, 8>} : (tensor<4x6x8xf32>) -> tensor<24x8xf32>
  %4 = pd.matmul %2, %3 : (tensor<3x24xf32>, tensor<24x8xf32>) -> tensor<3x8xf32>
  return %0, %1, %4 : tensor<4x6x8xf32>, tensor<3x4x8xf32>, tensor<3x8xf32>
}
