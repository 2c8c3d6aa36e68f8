// Folds, with near misses.
// RUN: proa-opt %s --canonicalize | FileCheck %s

dist.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func @reshards
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>)
func.func @reshards(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[A:.*]] = dist.reshard %[[X]] from <@m, [{"x"}, {}]> to <@m, [{}, {}]>
  %1 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[ONE:.*]] = dist.reshard %[[X]] from <@m, [{"x"}, {}]> to <@m, [{}, {"y"}]>
  %2 = dist.reshard %1 from <@m, [{}, {}]> to <@m, [{}, {"y"}]> : tensor<8x8xf32>
  %3 = dist.reshard %1 from <@m, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x8xf32>
  // Not the sharding that the first one gives.
  // CHECK-NEXT: %[[B:.*]] = dist.reshard %[[A]] from <@m, [{"y"}, {}]> to <@m, [{"x"}, {}]>
  %4 = dist.reshard %1 from <@m, [{"y"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: return %[[X]], %[[ONE]], %[[X]], %[[B]]
  return %0, %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @forms
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>, %[[L:.*]]: tensor<4x8xf32>)
func.func @forms(%x: tensor<8x8xf32>, %local: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = dist.to_local %x with <@m, [{"x"}, {}]> : tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = dist.to_global %0 with <@m, [{"x"}, {}]> : tensor<4x8xf32> -> tensor<8x8xf32>
  // CHECK-NEXT: %[[G:.*]] = dist.to_global %[[L]]
  %2 = dist.to_global %local with <@m, [{"x"}, {}]> : tensor<4x8xf32> -> tensor<8x8xf32>
  %3 = dist.to_local %2 with <@m, [{"x"}, {}]> : tensor<8x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[Y:.*]] = dist.to_local %[[G]] with <@m, [{"y"}, {}]>
  %4 = dist.to_local %2 with <@m, [{"y"}, {}]> : tensor<8x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[X]], %[[L]], %[[Y]]
  return %1, %3, %4 : tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func @steps
// CHECK-SAME: (%[[W:.*]]: tensor<8xf32>, %[[P:.*]]: tensor<4xf32>)
func.func @steps(%whole: tensor<8xf32>, %shard: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %0 = dist.slice %whole of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %1 = dist.all_gather %0 of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %2 = dist.all_gather %shard of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %3 = dist.slice %2 of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %4 = dist.to_partial %shard of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}], partial = [sum {"x"}]> : tensor<4xf32> -> tensor<8xf32>
  %5 = dist.reduce_scatter %4 of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %6 = dist.to_partial %whole of tensor<8xf32> from <@m, [{}]> to <@m, [{}], partial = [sum {"x"}]> : tensor<8xf32> -> tensor<8xf32>
  %7 = dist.all_reduce %6 of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  // CHECK-NEXT: return %[[W]], %[[P]], %[[P]], %[[W]]
  return %1, %3, %5, %7 : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// A sum is not undone, a mean of equal terms may round, and another slice is not the one that was gathered.
// CHECK-LABEL: func @steps_that_stay
func.func @steps_that_stay(%whole: tensor<8xf32>, %shard: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) {
  // CHECK: dist.all_reduce
  // CHECK: dist.to_partial
  %0 = dist.all_reduce %whole of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  %1 = dist.to_partial %0 of tensor<8xf32> from <@m, [{}]> to <@m, [{}], partial = [sum {"x"}]> : tensor<8xf32> -> tensor<8xf32>
  // CHECK: dist.to_partial
  // CHECK: dist.all_reduce
  %2 = dist.to_partial %whole of tensor<8xf32> from <@m, [{}]> to <@m, [{}], partial = [avg {"x"}]> : tensor<8xf32> -> tensor<8xf32>
  %3 = dist.all_reduce %2 of tensor<8xf32> from <@m, [{}], partial = [avg {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  // CHECK: dist.all_gather
  // CHECK: dist.slice
  %4 = dist.all_gather %shard of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
  %5 = dist.slice %4 of tensor<8xf32> from <@m, [{}]> to <@m, [{"y"}]> : tensor<8xf32> -> tensor<4xf32>
  return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
}
