// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s

// Through a call, in both directions: the caller's feed and the weight inside of the callee.
// CHECK-LABEL: func.func @main
// CHECK: call @layer({{.*}}) {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]}
// CHECK-LABEL: func.func private @layer(%{{.*}}: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>})
// CHECK-SAME: -> (tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>})
dist.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = func.call @layer(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @layer(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pd.tanh %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A function without a body takes and gives whole values.
// CHECK-LABEL: func.func private @external
// CHECK-SAME: (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>})
// CHECK: %[[WHOLE:.*]] = dist.reshard %{{.*}} from <@m, [{"x"}]> to <@m, [{}]>
// CHECK-NEXT: call @external(%[[WHOLE]]) {dist.shardings = [#dist.sharding<@m, [{}]>]}
dist.mesh @m = <["x"=2]>
func.func private @external(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%a: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = func.call @external(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The values of a loop have one sharding: of the first value, if nothing else is known. Both branches give it.
// CHECK-LABEL: func.func @loop
// CHECK: scf.while
// CHECK: scf.if
// CHECK: pd.tanh {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK: pd.softmax {{.*}}dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK: } {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]}
dist.mesh @m = <["x"=2]>
func.func @loop(%a: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %c: i1) -> tensor<8x4xf32> {
  %0 = scf.while (%v = %a) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
    scf.condition(%c) %v : tensor<8x4xf32>
  } do {
  ^bb0(%v: tensor<8x4xf32>):
    %1 = scf.if %c -> tensor<8x4xf32> {
      %2 = pd.tanh %v : (tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %2 : tensor<8x4xf32>
    } else {
      %2 = pd.softmax %v {axis = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %2 : tensor<8x4xf32>
    }
    scf.yield %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}

// -----

// A loop whose body needs whole rows on the split axis: the yielded value returns to the loop's sharding.
// CHECK-LABEL: func.func @counted_loop
// CHECK: scf.for
// CHECK: %[[WHOLE:.*]] = dist.reshard %{{.*}} from <@m, [{"x"}]> to <@m, [{}]>
// CHECK: %[[NEXT:.*]] = pd.logcumsumexp %[[WHOLE]]
// CHECK: %[[PART:.*]] = dist.reshard %[[NEXT]] from <@m, [{}]> to <@m, [{"x"}]>
// CHECK: scf.yield %[[PART]]
dist.mesh @m = <["x"=2]>
func.func @counted_loop(%a: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}, %n: index) -> tensor<8xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = scf.for %i = %0 to %n step %1 iter_args(%v = %a) -> tensor<8xf32> {
    %3 = pd.logcumsumexp %v {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}

// -----

// The region of a gradient: inputs, block arguments and gradients have one sharding.
// CHECK-LABEL: func.func @gradient
// CHECK: pd.vjp
// CHECK-SAME: dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK: pd.tanh {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
dist.mesh @m = <["x"=2]>
func.func @gradient(%a: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %d: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pd.vjp(%a : tensor<8x4xf32>) cotangents(%d : tensor<8x4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<8x4xf32> {
  ^bb0(%b: tensor<8x4xf32>):
    %1 = pd.tanh %b : (tensor<8x4xf32>) -> tensor<8x4xf32>
    pd.yield %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
