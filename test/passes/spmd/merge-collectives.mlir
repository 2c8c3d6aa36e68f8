// RUN: proa-opt %s --dist-merge-collectives --split-input-file | FileCheck %s
// RUN: proa-opt %s --dist-merge-collectives=bucket-bytes=100 --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: proa-opt %s --dist-merge-collectives --remarks=dist-merge-collectives --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --dist-merge-collectives=bucket-bytes=0 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: dist-merge-collectives: expected a bucket-bytes of at least 1, found 0

dist.mesh @m = <["x"=2, "y"=3]>

// The second value has other shards over y: in the bucket, these are shards of a larger tensor. The user of the first
// moves after the merged op.
// CHECK-LABEL: func @all_reduce
// CHECK-SAME: (%[[A:.*]]: tensor<4x5xf32>, %[[B:.*]]: tensor<6xf32>)
// CHECK-NEXT: %[[E:.*]] = pd.exp %[[B]]
// CHECK-NEXT: %[[P:.*]] = pd.reshape %[[A]] {shape = array<i64: 1, 20>} : (tensor<4x5xf32>) -> tensor<1x20xf32>
// CHECK-NEXT: %[[Q:.*]] = pd.reshape %[[E]] {shape = array<i64: 1, 6>} : (tensor<6xf32>) -> tensor<1x6xf32>
// CHECK-NEXT: %[[C:.*]] = pd.concat %[[P]], %[[Q]] {axis = 1 : i64}
// CHECK-NEXT: %[[R:.*]] = dist.all_reduce %[[C]] of tensor<1x78xf32> from <@m, [{}, {"y"}], partial = [sum {"x"}]> to <@m, [{}, {"y"}]> : tensor<1x26xf32> -> tensor<1x26xf32>
// CHECK-NEXT: %[[S:.*]] = pd.slice %[[R]] {axes = array<i64: 1>, ends = array<i64: 20>, starts = array<i64: 0>} : (tensor<1x26xf32>) -> tensor<1x20xf32>
// CHECK-NEXT: %[[X:.*]] = pd.reshape %[[S]] {shape = array<i64: 4, 5>}
// CHECK-NEXT: %[[T:.*]] = pd.slice %[[R]] {axes = array<i64: 1>, ends = array<i64: 26>, starts = array<i64: 20>}
// CHECK-NEXT: %[[Y:.*]] = pd.reshape %[[T]] {shape = array<i64: 6>}
// CHECK-NEXT: %[[U:.*]] = pd.relu %[[X]]
// CHECK-NEXT: return %[[U]], %[[Y]]
// SMALL-LABEL: func @all_reduce
// SMALL-COUNT-2: dist.all_reduce
// REMARK: merges 2 dist.all_reduce into one bucket of 104 bytes, at most {{[0-9]+}}
func.func @all_reduce(%a: tensor<4x5xf32>, %b: tensor<6xf32>) -> (tensor<4x5xf32>, tensor<6xf32>) {
  %0 = dist.all_reduce %a of tensor<4x5xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<4x5xf32> -> tensor<4x5xf32>
  %1 = pd.relu %0 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = pd.exp %b : (tensor<6xf32>) -> tensor<6xf32>
  %3 = dist.all_reduce %2 of tensor<18xf32> from <@m, [{"y"}], partial = [sum {"x"}]> to <@m, [{"y"}]> : tensor<6xf32> -> tensor<6xf32>
  return %1, %3 : tensor<4x5xf32>, tensor<6xf32>
}

// The shards of dimension 1 become rows.
// CHECK-LABEL: func @reduce_scatter
// CHECK: pd.reshape %{{.*}} {shape = array<i64: 2, 10>} : (tensor<4x5xf32>) -> tensor<2x10xf32>
// CHECK-NEXT: %[[A:.*]] = pd.reshape %{{.*}} {shape = array<i64: 5, 2, 3>} : (tensor<5x6xf32>) -> tensor<5x2x3xf32>
// CHECK-NEXT: %[[B:.*]] = pd.transpose %[[A]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: pd.reshape %[[B]] {shape = array<i64: 2, 15>}
// CHECK: dist.reduce_scatter %{{.*}} of tensor<2x25xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<2x25xf32> -> tensor<1x25xf32>
// CHECK-NOT: dist.reduce_scatter
func.func @reduce_scatter(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> (tensor<2x5xf32>, tensor<5x3xf32>) {
  %0 = dist.reduce_scatter %a of tensor<4x5xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<4x5xf32> -> tensor<2x5xf32>
  %1 = dist.reduce_scatter %b of tensor<5x6xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {"x"}]> : tensor<5x6xf32> -> tensor<5x3xf32>
  return %0, %1 : tensor<2x5xf32>, tensor<5x3xf32>
}

// CHECK-LABEL: func @all_gather
// CHECK: dist.all_gather %{{.*}} of tensor<2x25xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<1x25xf32> -> tensor<2x25xf32>
// CHECK: %[[S:.*]] = pd.slice %{{.*}} : (tensor<2x25xf32>) -> tensor<2x15xf32>
// CHECK-NEXT: %[[A:.*]] = pd.reshape %[[S]] {shape = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[B:.*]] = pd.transpose %[[A]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: pd.reshape %[[B]] {shape = array<i64: 5, 6>}
func.func @all_gather(%a: tensor<2x5xf32>, %b: tensor<5x3xf32>) -> (tensor<4x5xf32>, tensor<5x6xf32>) {
  %0 = dist.all_gather %a of tensor<4x5xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<2x5xf32> -> tensor<4x5xf32>
  %1 = dist.all_gather %b of tensor<5x6xf32> from <@m, [{}, {"x"}]> to <@m, [{}, {}]> : tensor<5x3xf32> -> tensor<5x6xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<5x6xf32>
}

// Other axes, reductions and element types are other buckets.
// CHECK-LABEL: func @different
// CHECK-COUNT-4: dist.all_reduce
// CHECK-NOT: pd.concat
func.func @different(%a: tensor<6xf32>, %b: tensor<6xf64>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf64>) {
  %0 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %1 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [sum {"y"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %2 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [max {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %3 = dist.all_reduce %b of tensor<6xf64> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf64> -> tensor<6xf64>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf64>
}

// The third depends on the first: it is in another bucket than the first two.
// CHECK-LABEL: func @dependent
// CHECK: dist.all_reduce %{{.*}} of tensor<1x12xf32>
// CHECK: dist.all_reduce %{{.*}} of tensor<6xf32>
// CHECK-NOT: dist.all_reduce
func.func @dependent(%a: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %1 = pd.relu %a : (tensor<6xf32>) -> tensor<6xf32>
  %2 = dist.all_reduce %1 of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %3 = pd.exp %0 : (tensor<6xf32>) -> tensor<6xf32>
  %4 = dist.all_reduce %3 of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  return %2, %4 : tensor<6xf32>, tensor<6xf32>
}

// A random op uses the first result: it does not move.
// CHECK-LABEL: func @effects
// CHECK-COUNT-2: dist.all_reduce %{{.*}} of tensor<6xf32>
func.func @effects(%a: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %1 = pd.bernoulli %0 : (tensor<6xf32>) -> tensor<6xf32>
  %2 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  return %1, %2 : tensor<6xf32>, tensor<6xf32>
}

// Shards of different sizes, two dimensions, sub-axes.
// CHECK-LABEL: func @uneven
// CHECK-COUNT-4: dist.all_gather
// CHECK-NOT: pd.concat
// REMARK: is not merged: its shards differ in size, or it is not an all_reduce, reduce_scatter or all_gather over full axes of one dimension
func.func @uneven(%a: tensor<?xf32>, %b: tensor<2x1xf32>, %c: tensor<2x4xf32>) -> (tensor<5xf32>, tensor<7xf32>, tensor<4x3xf32>, tensor<4x4xf32>) {
  %0 = dist.all_gather %a of tensor<5xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<?xf32> -> tensor<5xf32>
  %1 = dist.all_gather %a of tensor<7xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<?xf32> -> tensor<7xf32>
  %2 = dist.all_gather %b of tensor<4x3xf32> from <@m, [{"x"}, {"y"}]> to <@m, [{}, {}]> : tensor<2x1xf32> -> tensor<4x3xf32>
  %3 = dist.all_gather %c of tensor<4x4xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<2x4xf32> -> tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<5xf32>, tensor<7xf32>, tensor<4x3xf32>, tensor<4x4xf32>
}

// The dimension is split over y, then x. Partial axes have the order of the mesh also then.
// CHECK-LABEL: func @scatter_in_another_order
// CHECK: dist.reduce_scatter %{{.*}} of tensor<6x4xf32> from <@m, [{}, {}], partial = [sum {"x", "y"}]> to <@m, [{"y", "x"}, {}]> : tensor<6x4xf32> -> tensor<1x4xf32>
// CHECK-NOT: dist.reduce_scatter
func.func @scatter_in_another_order(%a: tensor<6x2xf32>, %b: tensor<6x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %0 = dist.reduce_scatter %a of tensor<6x2xf32> from <@m, [{}, {}], partial = [sum {"x", "y"}]> to <@m, [{"y", "x"}, {}]> : tensor<6x2xf32> -> tensor<1x2xf32>
  %1 = dist.reduce_scatter %b of tensor<6x2xf32> from <@m, [{}, {}], partial = [sum {"x", "y"}]> to <@m, [{"y", "x"}, {}]> : tensor<6x2xf32> -> tensor<1x2xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// One is reduced over a sub-axis of x only, and stays partial over the other sub-axis.
// CHECK-LABEL: func @sub_axis
// CHECK: dist.all_reduce %{{.*}} of tensor<6xf32> {{.*}} to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
// CHECK: dist.all_reduce %{{.*}} of tensor<6xf32> {{.*}} to <@m, [{}], partial = [sum {"x":(1)2}]> : tensor<6xf32> -> tensor<6xf32>
dist.mesh @m = <["x"=4]>
func.func @sub_axis(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = dist.all_reduce %a of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<6xf32> -> tensor<6xf32>
  %1 = dist.all_reduce %b of tensor<6xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}], partial = [sum {"x":(1)2}]> : tensor<6xf32> -> tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}
