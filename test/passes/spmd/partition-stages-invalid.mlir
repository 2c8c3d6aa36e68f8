// RUN: proa-opt %s --dist-partition=rank=2 --split-input-file --verify-diagnostics
// RUN: not proa-opt %s --dist-partition --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not proa-opt %s --dist-partition=rank=4 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICE
// RANK: dist-partition: the meshes have different devices, which run different programs; expected the option rank
// DEVICE: dist-partition: expected the rank of a device of a mesh, of 0 to 3, found 4

// A condition on one mesh cannot decide about ops on another one.
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, []>
#b = #dist.sharding<@b, [{"x"}]>
func.func @condition(%c: tensor<i1> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b})
    -> (tensor<8xf32> {dist.sharding = #b}) {
  %0 = tensor.extract %c[] : tensor<i1>
  // expected-error @below {{operand 0 is computed on other devices than device 2, which runs this op; compute it on the mesh of the op}}
  %1 = scf.if %0 -> tensor<8xf32> {
    %2 = pd.exp %y {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  } {dist.shardings = [#b]}
  return %1 : tensor<8xf32>
}

// -----

// Neither can the condition of a loop with values of both meshes.
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
#scalar = #dist.sharding<@a, []>
func.func @loop(%x: tensor<8xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b}, %c: tensor<i1> {dist.sharding = #scalar})
    -> (tensor<8xf32> {dist.sharding = #b}) {
  %0:2 = scf.while (%v = %x, %u = %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = tensor.extract %c[] : tensor<i1>
    // expected-error @below {{operand 0 is computed on other devices than device 2, which runs this op; compute it on the mesh of the op}}
    scf.condition(%1) %v, %u : tensor<8xf32>, tensor<8xf32>
  } do {
  ^bb0(%v: tensor<8xf32>, %u: tensor<8xf32>):
    %2 = pd.exp %u {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %v, %2 : tensor<8xf32>, tensor<8xf32>
  } attributes {dist.shardings = [#a, #b]}
  return %0#1 : tensor<8xf32>
}
