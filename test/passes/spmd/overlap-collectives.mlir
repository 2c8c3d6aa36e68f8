// RUN: proa-opt %s --dist-overlap-collectives | FileCheck %s
// RUN: proa-opt %s --dist-overlap-collectives=window=1 | FileCheck %s --check-prefix=ONE
// RUN: proa-opt %s --dist-overlap-collectives --remarks=dist-overlap-collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --dist-overlap-collectives=window=0 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: dist-overlap-collectives: expected a window of at least 1, found 0

dist.mesh @m = <["x"=2]>

// CHECK-LABEL: func @early
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<9xf32>)
// CHECK-NEXT: %[[F:.*]] = dist.all_gather %[[X]] {{.*}} : tensor<4xf32> -> !dist.future<tensor<8xf32>>
// CHECK-NEXT: pd.exp %[[Y]]
// CHECK-NEXT: pd.relu
// CHECK-NEXT: %[[W:.*]] = dist.wait %[[F]] : !dist.future<tensor<8xf32>> -> tensor<8xf32>
// CHECK-NEXT: pd.tanh %[[W]]
// ONE-LABEL: func @early
// ONE-NEXT: pd.exp
// ONE-NEXT: dist.all_gather {{.*}} -> !dist.future<tensor<8xf32>>
// ONE-NEXT: pd.relu
// ONE-NEXT: dist.wait
// REMARK: dist.all_gather is asynchronous
func.func @early(%x: tensor<4xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  %0 = pd.exp %y : (tensor<9xf32>) -> tensor<9xf32>
  %1 = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %2 = pd.relu %0 : (tensor<9xf32>) -> tensor<9xf32>
  %3 = pd.tanh %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %3, %2 : tensor<8xf32>, tensor<9xf32>
}

// The first use is in a region.
// CHECK-LABEL: func @region
// CHECK: pd.exp
// CHECK-NEXT: dist.wait
// CHECK-NEXT: scf.if
func.func @region(%x: tensor<4xf32>, %y: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %0 = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %1 = pd.exp %y : (tensor<8xf32>) -> tensor<8xf32>
  %2 = scf.if %p -> tensor<8xf32> {
    scf.yield %0 : tensor<8xf32>
  } else {
    scf.yield %1 : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}

// Nothing to compute meanwhile: a constant and other communication do not count.
// CHECK-LABEL: func @nothing
// CHECK: dist.all_gather {{.*}} -> tensor<8xf32>
// CHECK-NOT: dist.wait
// REMARK: dist.all_gather is not asynchronous: nothing is computed between its operand and its first use
func.func @nothing(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dist.all_gather %0 of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %2 = pd.constant dense<1.0> : tensor<8xf32>
  %3 = pd.add %1, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
