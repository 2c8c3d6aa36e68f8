// RUN: proa-opt %s --dist-gather-at-uses=span=2 --split-input-file | FileCheck %s
// RUN: proa-opt %s --dist-gather-at-uses=span=2 --remarks=dist-gather-at-uses --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --dist-gather-at-uses=span=0 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: dist-gather-at-uses: expected a span of at least 1, found 0

dist.mesh @m = <["x"=2]>

// The second use is three ops after the first one. The third one is near the second.
// REMARK: dist.all_gather is repeated for uses of which the others are more than 2 ops away
// CHECK-LABEL: func @again
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[A:.*]] = pd.exp %[[X]]
// CHECK-NEXT: %[[G:.*]] = dist.all_gather %[[W]]
// CHECK-NEXT: %[[B:.*]] = pd.multiply %[[A]], %[[G]]
// CHECK-NEXT: %[[C:.*]] = pd.exp %[[B]]
// CHECK-NEXT: %[[D:.*]] = pd.exp %[[C]]
// CHECK-NEXT: %[[H:.*]] = dist.all_gather %[[W]]
// CHECK-NEXT: %[[E:.*]] = pd.multiply %[[D]], %[[H]]
// CHECK-NEXT: pd.multiply %[[E]], %[[H]]
func.func @again(%w: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %1 = pd.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.multiply %1, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = pd.exp %2 : (tensor<8xf32>) -> tensor<8xf32>
  %4 = pd.exp %3 : (tensor<8xf32>) -> tensor<8xf32>
  %5 = pd.multiply %4, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = pd.multiply %5, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %6 : tensor<8xf32>
}

// Two ops apart: one gather.
// CHECK-LABEL: func @near
// CHECK-COUNT-1: dist.all_gather
// CHECK-NOT: dist.all_gather
// CHECK: return
func.func @near(%w: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %1 = pd.multiply %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
  %3 = pd.multiply %2, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Not an argument: the operand would live as long.
// CHECK-LABEL: func @computed
// CHECK: dist.all_gather
// CHECK-NEXT: pd.exp
// CHECK-NOT: dist.all_gather
// CHECK: return
func.func @computed(%w: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %p = pd.exp %w : (tensor<4xf32>) -> tensor<4xf32>
  %0 = dist.all_gather %p of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %1 = pd.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.multiply %1, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = pd.exp %2 : (tensor<8xf32>) -> tensor<8xf32>
  %4 = pd.exp %3 : (tensor<8xf32>) -> tensor<8xf32>
  %5 = pd.multiply %4, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>

// The first uses of v and w are next to each other: both start together. The next weight starts at their first use.
// CHECK-LABEL: func @buckets
// CHECK-SAME: (%[[U:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[A:.*]] = pd.exp %[[X]]
// CHECK-NEXT: dist.all_gather %[[V]]
// CHECK-NEXT: dist.all_gather %[[W]]
// CHECK-NEXT: pd.multiply
// CHECK-NEXT: pd.multiply
// CHECK-NEXT: pd.exp
// CHECK-NEXT: dist.all_gather %[[U]]
// CHECK-NEXT: pd.multiply
func.func @buckets(%u: tensor<4xf32>, %v: tensor<4xf32>, %w: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dist.all_gather %u of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %1 = dist.all_gather %v of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %2 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %3 = pd.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %4 = pd.multiply %3, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = pd.multiply %4, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = pd.exp %5 : (tensor<8xf32>) -> tensor<8xf32>
  %7 = pd.multiply %6, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %7 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>

// A body of more than two ops has the gather; the other loop reads one from outside.
// CHECK-LABEL: func @loops
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32>, %{{.*}}: tensor<8xf32>)
// CHECK: scf.while
// CHECK: } do {
// CHECK: pd.exp
// CHECK: dist.all_gather %[[W]]
// CHECK-NEXT: pd.multiply
// CHECK: scf.yield
// CHECK: dist.all_gather %[[W]]
// CHECK: scf.while
// CHECK-NOT: dist.all_gather
// CHECK: return
func.func @loops(%w: tensor<4xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %zero = pd.constant dense<0> : tensor<i64>
  %one = pd.constant dense<1> : tensor<i64>
  %count = pd.constant dense<2> : tensor<i64>
  %1:2 = scf.while (%i = %zero, %y = %x) : (tensor<i64>, tensor<8xf32>) -> (tensor<i64>, tensor<8xf32>) {
    %less = pd.less_than %i, %count : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %go = tensor.extract %less[] : tensor<i1>
    scf.condition(%go) %i, %y : tensor<i64>, tensor<8xf32>
  } do {
  ^bb0(%i: tensor<i64>, %y: tensor<8xf32>):
    %a = pd.exp %y : (tensor<8xf32>) -> tensor<8xf32>
    %b = pd.multiply %a, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %c = pd.exp %b : (tensor<8xf32>) -> tensor<8xf32>
    %next = pd.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next, %c : tensor<i64>, tensor<8xf32>
  }
  %2 = scf.while (%y = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %less = pd.less_than %1#0, %count : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %go = tensor.extract %less[] : tensor<i1>
    scf.condition(%go) %y : tensor<8xf32>
  } do {
  ^bb0(%y: tensor<8xf32>):
    %b = pd.multiply %y, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %1#1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>

// A slice of an argument moves before its first use, and not into the loop.
// CHECK-LABEL: func @slices
// CHECK-SAME: (%[[W:.*]]: tensor<8xf32>, %[[V:.*]]: tensor<8xf32>, %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = pd.exp %[[X]]
// CHECK-NEXT: %[[S:.*]] = dist.slice %[[V]]
// CHECK-NEXT: %{{.*}} = scf.while
// CHECK: pd.multiply %{{.*}}, %[[S]]
// CHECK: }
// CHECK-NEXT: %[[T:.*]] = dist.slice %[[W]]
// CHECK-NEXT: %[[U:.*]] = dist.slice %[[W]]
// CHECK-NEXT: pd.where %{{.*}}, %[[T]], %[[U]]
func.func @slices(%w: tensor<8xf32>, %v: tensor<8xf32>, %x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = dist.slice %w of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %1 = dist.slice %v of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %6 = dist.slice %w of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %2 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = scf.while (%a = %2) : (tensor<4xf32>) -> tensor<4xf32> {
    %go = tensor.extract %c[] : tensor<i1>
    scf.condition(%go) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %5 = pd.multiply %a, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  %4 = pd.where %c, %0, %6 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// A slice of a computed value stays.
// CHECK-LABEL: func @slice_of_computed
// CHECK: dist.slice
// CHECK-NEXT: pd.exp
func.func @slice_of_computed(%w: tensor<8xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %p = pd.exp %w : (tensor<8xf32>) -> tensor<8xf32>
  %0 = dist.slice %p of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %1 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = pd.multiply %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
