// RUN: proa-opt %s --dist-hoist-collectives | FileCheck %s
// RUN: proa-opt %s --dist-hoist-collectives --remarks=dist-hoist-collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

dist.mesh @m = <["x"=2]>

// The gather and the op that computes its operand move out of both loops; the other op stays.
// CHECK-LABEL: func @loops
// CHECK: %[[E:.*]] = pd.exp
// CHECK-NEXT: %[[G:.*]] = dist.all_gather %[[E]]
// CHECK-NEXT: scf.while
// CHECK: scf.for
// CHECK: pd.relu
// CHECK-NOT: dist.all_gather
// REMARK: dist.all_gather moves out of the loop
func.func @loops(%w: tensor<4xf32>, %x: tensor<8xf32>, %p: i1, %n: index) -> tensor<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.while (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    scf.condition(%p) %a : tensor<8xf32>
  } do {
  ^bb0(%a: tensor<8xf32>):
    %1 = scf.for %i = %zero to %n step %one iter_args(%b = %a) -> tensor<8xf32> {
      %2 = pd.relu %w : (tensor<4xf32>) -> tensor<4xf32>
      %3 = pd.exp %w : (tensor<4xf32>) -> tensor<4xf32>
      %4 = dist.all_gather %3 of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
      %5 = pd.add %b, %4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %6 = pd.concat %2, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
      %7 = pd.add %5, %6 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %7 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A branch may not run; an operand changes; random numbers differ in each iteration.
// CHECK-LABEL: func @stays
// CHECK: scf.for
// CHECK: scf.if
// CHECK: dist.all_gather
// CHECK: dist.all_gather
// CHECK: pd.bernoulli
// CHECK: dist.all_gather
// REMARK: dist.all_gather stays in the loop: an operand changes
func.func @stays(%w: tensor<4xf32>, %p: i1, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.for %i = %zero to %n step %one iter_args(%b = %w) -> tensor<4xf32> {
    %1 = scf.if %p -> tensor<8xf32> {
      %2 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    } else {
      %2 = pd.concat %w, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    }
    %3 = dist.all_gather %b of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
    %4 = pd.bernoulli %w : (tensor<4xf32>) -> tensor<4xf32>
    %5 = dist.all_gather %4 of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
    %6 = pd.add %1, %3 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %7 = pd.add %6, %5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %8 = dist.slice %7 of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
    scf.yield %8 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
