// RUN: proa-opt %s --pd-canonicalize | FileCheck %s

dist.mesh @m = <["x"=2]>

// A result that goes away takes its sharding with it.
// CHECK-LABEL: func @loop
// CHECK: scf.while (%{{.*}} = %arg1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK: attributes {dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>]}
func.func @loop(%a: tensor<8xf32>, %b: tensor<8x4xf32>, %c: i1) -> tensor<8x4xf32> {
  %0:2 = scf.while (%x = %a, %y = %b) : (tensor<8xf32>, tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
    scf.condition(%c) %x, %y : tensor<8xf32>, tensor<8x4xf32>
  } do {
  ^bb0(%x: tensor<8xf32>, %y: tensor<8x4xf32>):
    %e = pd.exp %y : (tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %x, %e : tensor<8xf32>, tensor<8x4xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{"x"}]>, #dist.sharding<@m, [{}, {"x"}]>]}
  return %0#1 : tensor<8x4xf32>
}

// CHECK-LABEL: func @branch
// CHECK: scf.if %arg2 -> (tensor<8x4xf32>)
// CHECK: } {dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>]}
func.func @branch(%a: tensor<8xf32>, %b: tensor<8x4xf32>, %c: i1) -> tensor<8x4xf32> {
  %0:2 = scf.if %c -> (tensor<8xf32>, tensor<8x4xf32>) {
    %e = pd.exp %b : (tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %a, %e : tensor<8xf32>, tensor<8x4xf32>
  } else {
    scf.yield %a, %b : tensor<8xf32>, tensor<8x4xf32>
  } {dist.shardings = [unit, #dist.sharding<@m, [{}, {"x"}]>]}
  return %0#1 : tensor<8x4xf32>
}

// The attribute goes with the last result.
// CHECK-LABEL: func @unread
// CHECK: scf.if
// CHECK-NOT: dist.shardings
// CHECK: return
func.func @unread(%a: tensor<8xf32>, %c: i1) {
  %0 = scf.if %c -> (tensor<8xf32>) {
    %1 = func.call @other(%a) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  } {dist.shardings = [#dist.sharding<@m, [{"x"}]>]}
  return
}
func.func private @other(tensor<8xf32>) -> tensor<8xf32>
