// Random ops of other meshes are counted, so that own ones sample as on one device.
// RUN: proa-opt %s --dist-partition=rank=0 --canonicalize --split-input-file | FileCheck %s --check-prefixes=ALL,FIRST
// RUN: proa-opt %s --dist-partition=rank=2 --canonicalize --split-input-file | FileCheck %s --check-prefixes=ALL,SECOND

// Ops with the effect of sampling, composites by their decomposition. Not counted: an op with a seed, dropout of
// inference, an op without uses.
// ALL-LABEL: func.func @ops
// FIRST-NOT: pd.skip_random
// FIRST: pd.bernoulli
// FIRST: pd.skip_random {{ *}}{count = 1 : i64}
// SECOND-NOT: pd.skip_random
// SECOND: pd.skip_random {{ *}}{count = 3 : i64}
// SECOND-NOT: pd.skip_random
// SECOND: pd.uniform
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{}]>
#b = #dist.sharding<@b, [{}]>
func.func @ops(%x: tensor<8xf32> {dist.sharding = #a}) -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %0, %m0 = pd.dropout %x {dist.shardings = [#a, #a]} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xui8>)
  %1, %m1 = pd.dropout %0 {is_test = true, dist.shardings = [#a, #a]} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xui8>)
  %2 = pd.gaussian {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : () -> tensor<8xf32>
  %3 = pd.gaussian {dtype = f32, shape = array<i64: 8>, seed = 3 : i64, dist.shardings = [#a]} : () -> tensor<8xf32>
  %unused = pd.gaussian {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : () -> tensor<8xf32>
  %chain = pd.exp %unused {dist.shardings = [#a]} : (tensor<8xf32>) -> tensor<8xf32>
  %4 = pd.bernoulli %2 {dist.shardings = [#a]} : (tensor<8xf32>) -> tensor<8xf32>
  %5 = pd.add %1, %4 {dist.shardings = [#a]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = pd.add %5, %3 {dist.shardings = [#a]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = pd.uniform {dtype = f32, shape = array<i64: 8>, dist.shardings = [#b]} : () -> tensor<8xf32>
  return %6, %7 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A program without random ops, and one on meshes of the same devices, have no op for it.
// ALL-LABEL: func.func @none
// ALL-NOT: pd.skip_random
dist.mesh @a = <["x"=4]>
dist.mesh @b = <["x"=4], devices = [3, 2, 1, 0]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
func.func @none() -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %0 = pd.uniform {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : () -> tensor<8xf32>
  %1 = pd.uniform {dtype = f32, shape = array<i64: 8>, dist.shardings = [#b]} : () -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A loop, a branch and a function that the second stage has for the count only; the condition moves to it.
// ALL-LABEL: func.func @regions
// FIRST: dist.send {{.*}} of tensor<i1>
// SECOND: scf.for
// SECOND-NEXT: func.call @sample() : () -> ()
// SECOND: %[[R:.*]] = dist.recv of tensor<i1>
// SECOND: %[[C:.*]] = tensor.extract %[[R]]
// SECOND: scf.if %[[C]] {
// SECOND-NEXT: pd.skip_random {{ *}}{count = 1 : i64}
// SECOND-NEXT: }
// SECOND: pd.uniform
// ALL-LABEL: func.func private @sample
// FIRST: pd.gaussian
// SECOND-SAME: () {
// SECOND-NEXT: pd.skip_random {{ *}}{count = 1 : i64}
// SECOND-NEXT: return
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
#scalar = #dist.sharding<@a, []>
func.func @regions(%x: tensor<8xf32> {dist.sharding = #a}, %c: tensor<i1> {dist.sharding = #scalar}, %n: index)
    -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<8xf32>) {
    %1 = func.call @sample(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } {dist.shardings = [#a]}
  %2 = tensor.extract %c[] : tensor<i1>
  %3 = scf.if %2 -> tensor<8xf32> {
    %4 = pd.poisson %0 {dist.shardings = [#a]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %4 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  } {dist.shardings = [#a]}
  %5 = pd.uniform {dtype = f32, shape = array<i64: 8>, dist.shardings = [#b]} : () -> tensor<8xf32>
  return %3, %5 : tensor<8xf32>, tensor<8xf32>
}
func.func private @sample(%x: tensor<8xf32> {dist.sharding = #a}) -> (tensor<8xf32> {dist.sharding = #a}) {
  %0 = pd.gaussian {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : () -> tensor<8xf32>
  %1 = pd.add %x, %0 {dist.shardings = [#a]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Seeds in tensors: a constant 0 counts; 5 and a random number above 0 do not.
// ALL-LABEL: func.func @seeds
// SECOND: pd.skip_random {{ *}}{count = 2 : i64}
// SECOND-NOT: pd.skip_random
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{}]>
#b = #dist.sharding<@b, [{}]>
func.func @seeds() -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %zero = pd.constant {dist.shardings = [#a]} dense<0> : tensor<1xi64>
  %five = pd.constant {dist.shardings = [#a]} dense<5> : tensor<1xi64>
  %random = pd.randint {dtype = i64, shape = array<i64: 1>, low = 1 : i64, high = 100 : i64, dist.shardings = [#a]} : () -> tensor<1xi64>
  %0 = pd.uniform seed = %zero {dtype = f32, shape = array<i64: 8>, seed = 4 : i64, dist.shardings = [#a]} : (tensor<1xi64>) -> tensor<8xf32>
  %1 = pd.uniform seed = %five {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : (tensor<1xi64>) -> tensor<8xf32>
  %2 = pd.uniform seed = %random {dtype = f32, shape = array<i64: 8>, dist.shardings = [#a]} : (tensor<1xi64>) -> tensor<8xf32>
  %3 = pd.add %0, %1 {dist.shardings = [#a]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = pd.add %3, %2 {dist.shardings = [#a]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = pd.uniform {dtype = f32, shape = array<i64: 8>, dist.shardings = [#b]} : () -> tensor<8xf32>
  return %4, %5 : tensor<8xf32>, tensor<8xf32>
}
