// RUN: proa-opt %s --dist-overlap-collectives | FileCheck %s
// RUN: proa-opt %s --dist-overlap-collectives=window=1 | FileCheck %s --check-prefix=ONE
// RUN: proa-opt %s --dist-overlap-collectives --remarks=dist-overlap-collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --dist-overlap-collectives=window=0 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: proa-opt %s --dist-overlap-collectives=min-bytes=32 | FileCheck %s --check-prefix=SMALL
// RUN: proa-opt %s --dist-overlap-collectives=min-bytes=32 --remarks=dist-overlap-collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOO-SMALL
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
// REMARK: dist.all_gather is asynchronous: it is of 32 bytes, at least {{[0-9]+}}
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

// A reduction starts after its operand, and ends at most `window` ops later.
// CHECK-LABEL: func @reduction
// CHECK: pd.exp
// CHECK-NEXT: %[[F:.*]] = dist.all_reduce {{.*}} -> !dist.future<tensor<4xf32>>
// CHECK-NEXT: pd.relu
// CHECK-NEXT: pd.tanh
// CHECK-NEXT: dist.wait %[[F]]
// CHECK-NEXT: pd.add
// ONE-LABEL: func @reduction
// ONE: pd.exp
// ONE-NEXT: dist.all_reduce {{.*}} -> !dist.future<tensor<4xf32>>
// ONE-NEXT: pd.relu
// ONE-NEXT: dist.wait
// ONE-NEXT: pd.tanh
func.func @reduction(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pd.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = pd.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = dist.all_reduce %0 of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %4 = pd.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// A gather moves down to its use.
// ONE-LABEL: func @gather_late
// ONE: pd.tanh
// ONE-NEXT: dist.all_gather {{.*}} -> !dist.future<tensor<8xf32>>
// ONE-NEXT: pd.exp
// ONE-NEXT: dist.wait
// ONE-NEXT: pd.add
func.func @gather_late(%w: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %1 = pd.tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
  %3 = pd.add %0, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Users of a sum that are between it and other work move to the wait, in their order.
// CHECK-LABEL: func @update
// CHECK: pd.exp
// CHECK-NEXT: %[[F:.*]] = dist.all_reduce {{.*}} -> !dist.future<tensor<4xf32>>
// CHECK-NEXT: pd.tanh
// CHECK-NEXT: %[[S:.*]] = dist.wait %[[F]]
// CHECK-NEXT: %[[R:.*]] = pd.relu %[[S]]
// CHECK-NEXT: pd.subtract %{{.*}}, %[[R]]
// CHECK-NEXT: return
func.func @update(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dist.all_reduce %0 of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  %2 = pd.relu %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = pd.subtract %w, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = pd.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %3, %4 : tensor<4xf32>, tensor<4xf32>
}

dist.mesh @moved = <["x"=2], devices = [1, 0]>

// A user with effects does not move.
// CHECK-LABEL: func @ordered
// CHECK: dist.all_reduce {{.*}} -> tensor<4xf32>
// CHECK-NEXT: dist.send
func.func @ordered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dist.all_reduce %0 of tensor<4xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf32>
  dist.send %1 of tensor<4xf32> from <@m, [{}]> to <@moved, [{}]> channel 1 : tensor<4xf32>
  %2 = pd.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// What arrives is awaited after the work.
// CHECK-LABEL: func @received
// CHECK-NEXT: dist.send
// CHECK-NEXT: %[[R:.*]] = dist.recv {{.*}} : !dist.future<tensor<4xf32>>
// CHECK-NEXT: pd.exp
// CHECK-NEXT: dist.wait %[[R]]
func.func @received(%x: tensor<4xf32>) -> tensor<4xf32> {
  dist.send %x of tensor<8xf32> from <@m, [{"x"}]> to <@moved, [{"x"}]> channel 0 : tensor<4xf32>
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dist.recv of tensor<8xf32> from <@m, [{"x"}]> to <@moved, [{"x"}]> channel 0 : tensor<4xf32>
  %2 = pd.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// SMALL-LABEL: func @reduction
// SMALL: dist.all_reduce {{.*}} -> tensor<4xf32>
// SMALL-LABEL: func @gather_late
// SMALL: dist.wait
// TOO-SMALL: dist.all_reduce is not asynchronous: it is of 16 bytes, fewer than 32

// The window ends at the collective itself, which moves to its start. The wait follows the op that computes meanwhile.
// ONE-LABEL: func @window_ends
// ONE-NEXT: %[[L:.*]] = pd.exp
// ONE-NEXT: %[[F:.*]] = dist.all_reduce %[[L]] {{.*}} -> !dist.future<tensor<6xf32>>
// ONE-NEXT: pd.relu
// ONE-NEXT: dist.wait %[[F]]
// ONE-NEXT: return
func.func @window_ends(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = pd.exp %x : (tensor<6xf32>) -> tensor<6xf32>
  %1 = pd.relu %x : (tensor<6xf32>) -> tensor<6xf32>
  %2 = dist.all_reduce %0 of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  return %1, %2 : tensor<6xf32>, tensor<6xf32>
}
