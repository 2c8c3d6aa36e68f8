// RUN: proa-opt %s --dist-partition=rank=2 --split-input-file --verify-diagnostics
// RUN: not proa-opt %s --dist-partition --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not proa-opt %s --dist-partition=rank=4 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICE
// RANK: dist-partition: the meshes have different devices, which run different programs; expected the option rank
// DEVICE: dist-partition: expected the rank of a device of a mesh, of 0 to 3, found 4

// A trip count that is a dim of a value on one mesh cannot decide about ops on another one.
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{}]>
#b = #dist.sharding<@b, [{"x"}]>
func.func @count(%x: tensor<?xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b})
    -> (tensor<8xf32> {dist.sharding = #b}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-error @below {{operand 1 is computed on other devices than device 2, which runs this op; compute it on the mesh of the op}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %y) -> tensor<8xf32> {
    %1 = pd.exp %v {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } {dist.shardings = [#b]}
  return %0 : tensor<8xf32>
}

// -----

// Neither can it decide how often a random op of another mesh runs.
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{}]>
#fixed = #dist.sharding<@a, [{"x"}]>
func.func @counted(%x: tensor<?xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #fixed})
    -> (tensor<8xf32> {dist.sharding = #fixed}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-error @below {{operand 1 is computed on other devices than device 2, which counts the random ops in it; compute it on each mesh, or give them seeds}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %y) -> tensor<8xf32> {
    %1 = pd.gaussian {dtype = f32, shape = array<i64: 8>, dist.shardings = [#fixed]} : () -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } {dist.shardings = [#fixed]}
  return %0 : tensor<8xf32>
}

// -----

// A seed that is known at run time, on other devices.
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{}]>
func.func @seed(%seed: tensor<1xi64> {dist.sharding = #a}) -> (tensor<8xf32> {dist.sharding = #a}) {
  // expected-error @below {{samples if its seed is 0, which a run decides on other devices than device 2; expected a constant seed}}
  %0 = pd.uniform seed = %seed {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : (tensor<1xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
