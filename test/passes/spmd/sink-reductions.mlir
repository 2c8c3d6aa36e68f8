// RUN: proa-opt %s --dist-sink-reductions | FileCheck %s
// RUN: proa-opt %s --dist-sink-reductions --remarks=dist-sink-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

dist.mesh @m = <["x"=2]>

// Linear ops are between the all_reduce and the addition: the sum of the loop is reduced, which has other dims.
// CHECK-LABEL: func @linear
// CHECK: %[[SUM:.*]] = scf.while
// CHECK-NOT: dist.all_reduce
// CHECK: scf.yield
// CHECK: %[[ALL:.*]] = dist.all_reduce %[[SUM]] of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]>
// CHECK: return %[[ALL]]
// REMARK: dist.all_reduce moves after the loop
func.func @linear(%x: tensor<1x4xf32>, %p: i1) -> tensor<4xf32> {
  %zero = pd.constant dense<0.0> : tensor<4xf32>
  %two = pd.constant dense<2.0> : tensor<f32>
  %0 = scf.while (%s = %zero) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%p) %s : tensor<4xf32>
  } do {
  ^bb0(%s: tensor<4xf32>):
    %1 = dist.all_reduce %x of tensor<1x4xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<1x4xf32> -> tensor<1x4xf32>
    %2 = pd.sum %1 {axis = array<i64: 0>} : (tensor<1x4xf32>) -> tensor<4xf32>
    %3 = pd.multiply %2, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = pd.add %s, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// A sum of several terms, as of the jobs of a pipeline, is reduced once.
// CHECK-LABEL: func @straight
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = pd.add %{{.*}}, %[[X]] :
// CHECK: %[[B:.*]] = pd.add %[[A]], %[[Y]] :
// CHECK: %[[C:.*]] = pd.add %[[B]], %[[Z]] :
// CHECK: %[[ALL:.*]] = dist.all_reduce %[[C]] of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]>
// CHECK: return %[[ALL]]
func.func @straight(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %zero = pd.constant dense<0.0> : tensor<4xf32>
  %0 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %1 = pd.add %zero, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = dist.all_reduce %y of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %3 = pd.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = dist.all_reduce %z of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %5 = pd.add %3, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// Not reduced later: a term that is not reduced, one with another use, and one that another op than a sum creates.
// CHECK-LABEL: func @straight_near_misses
// CHECK-COUNT-3: dist.all_reduce
// CHECK: pd.add
// CHECK: pd.add
// CHECK: pd.add
// CHECK-NOT: dist.all_reduce
// CHECK: return
func.func @straight_near_misses(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = pd.constant dense<0.0> : tensor<4xf32>
  %0 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %1 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %2 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [max {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %3 = pd.add %y, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = pd.add %zero, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = pd.add %zero, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3, %4, %1, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @near_misses
// CHECK: scf.while
// CHECK-COUNT-5: dist.all_reduce
// CHECK: scf.yield
// CHECK-NOT: dist.all_reduce
// REMARK: dist.all_reduce stays in the loop: it does not sum
// REMARK: dist.all_reduce moves after the sum
func.func @near_misses(%x: tensor<4xf32>, %one: tensor<4xf32>, %p: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = pd.constant dense<0.0> : tensor<4xf32>
  %0:5 = scf.while (%a = %zero, %b = %one, %c = %zero, %d = %zero, %e = %zero)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%p) %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>, %e: tensor<4xf32>):
    // The square of a sum is not the sum of squares.
    %1 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
    %2 = pd.square %1 : (tensor<4xf32>) -> tensor<4xf32>
    %3 = pd.add %a, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // Each device would add the first value.
    %4 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
    %5 = pd.add %b, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // The carried value has another user.
    %6 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
    %7 = pd.multiply %c, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %8 = pd.add %c, %7 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // The term has another user.
    %9 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
    %10 = pd.add %d, %9 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %11 = pd.add %10, %9 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // The largest is not a sum.
    %12 = dist.all_reduce %x of tensor<4xf32> from <@m, [{}], partial = [max {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
    %13 = pd.add %e, %12 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3, %5, %8, %11, %13 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
