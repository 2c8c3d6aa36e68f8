// RUN: proa-opt %s --dist-split-all-reduce=min-bytes=0 | FileCheck %s
// RUN: proa-opt %s --dist-split-all-reduce | FileCheck %s --check-prefix=SMALL
// RUN: proa-opt %s --dist-split-all-reduce=min-bytes=0 --remarks=dist-split-all-reduce -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

dist.mesh @m = <["x"=2, "y"=2]>

#whole = #dist.sharding<@m, [{}]>
#y = #dist.sharding<@m, [{"y"}]>
#x = #dist.sharding<@m, [{"x"}]>

// All users are the same slice.
// CHECK-LABEL: func @slices
// CHECK-NEXT: %[[S:.*]] = dist.reduce_scatter %{{.*}} from <@m, [{}], partial = [sum {"x"}]> to <@m, [{"x"}]> : tensor<9xf32> -> tensor<?xf32>
// CHECK-NEXT: pd.exp %[[S]]
// CHECK-NEXT: pd.relu %[[S]]
// SMALL-LABEL: func @slices
// SMALL-NEXT: dist.reduce_scatter
func.func @slices(%g: tensor<9xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = dist.all_reduce %g of tensor<9xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<9xf32> -> tensor<9xf32>
  %1 = dist.slice %0 of tensor<9xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<9xf32> -> tensor<?xf32>
  %2 = pd.exp %1 : (tensor<?xf32>) -> tensor<?xf32>
  %3 = dist.slice %0 of tensor<9xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<9xf32> -> tensor<?xf32>
  %4 = pd.relu %3 : (tensor<?xf32>) -> tensor<?xf32>
  return %2, %4 : tensor<?xf32>, tensor<?xf32>
}

// The slice is over another axis.
// CHECK-LABEL: func @other_axis
// CHECK-NEXT: dist.all_reduce
// CHECK-NEXT: dist.slice
func.func @other_axis(%g: tensor<8xf32>) -> tensor<4xf32> {
  %0 = dist.all_reduce %g of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  %1 = dist.slice %0 of tensor<8xf32> from <@m, [{}]> to <@m, [{"y"}]> : tensor<8xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The update of a parameter runs on shards. The learning rate is needed whole, and dimension 0 has unequal shards.
// CHECK-LABEL: func @update
// CHECK-SAME: (%[[G:.*]]: tensor<3x8xf32>, %[[W:.*]]: tensor<3x8xf32> {{.*}}, %[[B:.*]]: tensor<8xf32> {{.*}}, %[[R:.*]]: tensor<1xf32>
// CHECK-NEXT: %[[S:.*]] = dist.reduce_scatter %[[G]] of tensor<6x8xf32> from <@m, [{"y"}, {}], partial = [sum {"x"}]> to <@m, [{"y"}, {"x"}]> : tensor<3x8xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[M:.*]] = pd.multiply %[[S]], %[[R]] : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %[[P:.*]] = dist.slice %[[B]] of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[N:.*]] = pd.add %[[M]], %[[P]] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %[[Q:.*]] = dist.slice %[[W]] of tensor<6x8xf32> from <@m, [{"y"}, {}]> to <@m, [{"y"}, {"x"}]> : tensor<3x8xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[U:.*]] = pd.subtract %[[Q]], %[[N]] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %[[A:.*]] = dist.all_gather %[[U]] of tensor<6x8xf32> from <@m, [{"y"}, {"x"}]> to <@m, [{"y"}, {}]> : tensor<3x4xf32> -> tensor<3x8xf32>
// CHECK-NEXT: return %[[A]]
// SMALL-LABEL: func @update
// SMALL-NEXT: dist.all_reduce
// REMARK: dist.all_reduce becomes reduce_scatter; 3 ops run on shards; 1 all_gather
func.func @update(%g: tensor<3x8xf32>, %w: tensor<3x8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}, %b: tensor<8xf32> {dist.sharding = #whole},
                  %rate: tensor<1xf32> {dist.sharding = #whole}) -> tensor<3x8xf32> {
  %0 = dist.all_reduce %g of tensor<6x8xf32> from <@m, [{"y"}, {}], partial = [sum {"x"}]> to <@m, [{"y"}, {}]> : tensor<3x8xf32> -> tensor<3x8xf32>
  %1 = pd.multiply %0, %rate : (tensor<3x8xf32>, tensor<1xf32>) -> tensor<3x8xf32>
  %2 = pd.add %1, %b : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  %3 = pd.subtract %w, %2 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// The mean over micro-batches of a gradient of ZeRO 1: all users are slices, of any size, of the dimension that they
// split, although the first one has equal shards too.
// CHECK-LABEL: func @mean_of_slices
// CHECK-SAME: (%[[G:.*]]: tensor<6x8xf32>, %[[C:.*]]: tensor<f32>
// CHECK-NEXT: %[[S:.*]] = dist.reduce_scatter %[[G]] of tensor<6x8xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {"x"}]> : tensor<6x8xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[M:.*]] = pd.divide %[[S]], %[[C]] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
// CHECK-NEXT: pd.softmax %[[M]]
// SMALL-LABEL: func @mean_of_slices
// SMALL-NEXT: dist.reduce_scatter
// SMALL-NEXT: pd.divide
// REMARK: dist.all_reduce becomes reduce_scatter; 1 ops run on shards
func.func @mean_of_slices(%g: tensor<6x8xf32>, %count: tensor<f32> {dist.sharding = #dist.sharding<@m, []>}) -> tensor<6x4xf32> {
  %0 = dist.all_reduce %g of tensor<6x8xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<6x8xf32> -> tensor<6x8xf32>
  %1 = pd.divide %0, %count : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  %2 = dist.slice %1 of tensor<6x8xf32> from <@m, [{}, {}]> to <@m, [{}, {"x"}]> : tensor<6x8xf32> -> tensor<6x4xf32>
  %3 = pd.softmax %2 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// The mean is needed whole too: a small all_reduce stays.
// SMALL-LABEL: func @mean_of_slices_and_whole
// SMALL-NEXT: dist.all_reduce
func.func @mean_of_slices_and_whole(%g: tensor<6x8xf32>, %count: tensor<f32> {dist.sharding = #dist.sharding<@m, []>}) -> (tensor<6x4xf32>, tensor<6x8xf32>) {
  %0 = dist.all_reduce %g of tensor<6x8xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<6x8xf32> -> tensor<6x8xf32>
  %1 = pd.divide %0, %count : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  %2 = dist.slice %1 of tensor<6x8xf32> from <@m, [{}, {}]> to <@m, [{}, {"x"}]> : tensor<6x8xf32> -> tensor<6x4xf32>
  return %2, %1 : tensor<6x4xf32>, tensor<6x8xf32>
}

// Two results are needed whole: two gathers move more bytes than the all_reduce.
// CHECK-LABEL: func @two_results
// CHECK-NEXT: dist.all_reduce
// REMARK: dist.all_reduce stays: 2 results of the elementwise ops after it are needed whole
func.func @two_results(%g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = dist.all_reduce %g of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  %1 = pd.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// The other operand differs on the devices along x: it is a term of an average.
// CHECK-LABEL: func @not_replicated
// CHECK-NEXT: dist.all_reduce
func.func @not_replicated(%g: tensor<8xf32>, %a: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}], partial = [avg {"x"}]>}) -> tensor<8xf32> {
  %0 = dist.all_reduce %g of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  %1 = pd.add %0, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func @unequal_shards
// CHECK-NEXT: dist.all_reduce
// REMARK: dist.all_reduce stays: no dimension has equal shards
func.func @unequal_shards(%g: tensor<9xf32>) -> tensor<9xf32> {
  %0 = dist.all_reduce %g of tensor<9xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<9xf32> -> tensor<9xf32>
  %1 = pd.exp %0 : (tensor<9xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// A softmax is not elementwise: the whole value before it is needed.
// CHECK-LABEL: func @not_elementwise
// CHECK: dist.reduce_scatter
// CHECK-NEXT: pd.exp %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = dist.all_gather
// CHECK-NEXT: pd.softmax %[[A]]
func.func @not_elementwise(%g: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dist.all_reduce %g of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  %1 = pd.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.softmax %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A reshape to the same dims runs on shards, with the dims of a shard.
// CHECK-LABEL: func @reshape
// CHECK: dist.reduce_scatter
// CHECK: pd.reshape %{{.*}} {shape = array<i64: 2, 6>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK: dist.all_gather
func.func @reshape(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = dist.all_reduce %x of tensor<4x6xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = pd.reshape %0 {shape = array<i64: 4, 6>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// The gradient of a bias of ZeRO 1: the reshape runs before the reduction.
// CHECK-LABEL: func @reshape_before_slice
// CHECK-SAME: (%[[G:.*]]: tensor<1x8xf32>
// CHECK-NEXT: %[[R:.*]] = pd.reshape %[[G]] {{.*}}-> tensor<8xf32>
// CHECK-NEXT: dist.reduce_scatter %[[R]] of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
// CHECK-NEXT: return
// SMALL-LABEL: func @reshape_before_slice
// SMALL-NEXT: pd.reshape
// SMALL-NEXT: dist.reduce_scatter
func.func @reshape_before_slice(%g: tensor<1x8xf32>) -> tensor<4xf32> {
  %0 = dist.all_reduce %g of tensor<1x8xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 8>} : (tensor<1x8xf32>) -> tensor<8xf32>
  %2 = dist.slice %1 of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The same on a shard over y, with the mean over micro-batches before the slice.
// SMALL-LABEL: func @sum_of_shard_before_slice
// SMALL-NEXT: %[[R:.*]] = pd.sum %{{.*}} -> tensor<8xf32>
// SMALL-NEXT: %[[S:.*]] = dist.reduce_scatter %[[R]] of tensor<16xf32> from <@m, [{"y"}], partial = [sum {"x"}]> to <@m, [{"y", "x"}]> : tensor<8xf32> -> tensor<4xf32>
// SMALL-NEXT: pd.divide %[[S]]
func.func @sum_of_shard_before_slice(%g: tensor<1x8xf32>, %count: tensor<f32> {dist.sharding = #dist.sharding<@m, []>}) -> tensor<4xf32> {
  %0 = dist.all_reduce %g of tensor<1x16xf32> from <@m, [{}, {"y"}], partial = [sum {"x"}]> to <@m, [{}, {"y"}]> : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = pd.sum %0 {axis = array<i64: 0>} : (tensor<1x8xf32>) -> tensor<8xf32>
  %2 = pd.divide %1, %count : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = dist.slice %2 of tensor<16xf32> from <@m, [{"y"}]> to <@m, [{"y", "x"}]> : tensor<8xf32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// The reshape mixes a dimension that is split with another one: the placement after it is not known here.
// SMALL-LABEL: func @reshape_of_shard
// SMALL-NEXT: dist.all_reduce
// SMALL-NEXT: pd.reshape
func.func @reshape_of_shard(%g: tensor<2x8xf32>) -> tensor<8xf32> {
  %0 = dist.all_reduce %g of tensor<2x16xf32> from <@m, [{}, {"y"}], partial = [sum {"x"}]> to <@m, [{}, {"y"}]> : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 16>} : (tensor<2x8xf32>) -> tensor<16xf32>
  %2 = dist.slice %1 of tensor<16xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<16xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The largest element of a sum is not the sum of the largest elements.
// SMALL-LABEL: func @not_linear
// SMALL-NEXT: dist.all_reduce
// SMALL-NEXT: pd.max
func.func @not_linear(%g: tensor<2x8xf32>) -> tensor<4xf32> {
  %0 = dist.all_reduce %g of tensor<2x8xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = pd.max %0 {axis = array<i64: 0>} : (tensor<2x8xf32>) -> tensor<8xf32>
  %2 = dist.slice %1 of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A reduction of the largest elements: a sum does not commute with it.
// SMALL-LABEL: func @reduction_of_maxima
// SMALL-NEXT: dist.all_reduce
// SMALL-NEXT: pd.sum
func.func @reduction_of_maxima(%g: tensor<2x8xf32>) -> tensor<4xf32> {
  %0 = dist.all_reduce %g of tensor<2x8xf32> from <@m, [{}, {}], partial = [max {"x"}]> to <@m, [{}, {}]> : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = pd.sum %0 {axis = array<i64: 0>} : (tensor<2x8xf32>) -> tensor<8xf32>
  %2 = dist.slice %1 of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The result of the reshape is needed whole too.
// SMALL-LABEL: func @reshape_needed_whole
// SMALL-NEXT: dist.all_reduce
// SMALL-NEXT: pd.reshape
func.func @reshape_needed_whole(%g: tensor<1x8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = dist.all_reduce %g of tensor<1x8xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 8>} : (tensor<1x8xf32>) -> tensor<8xf32>
  %2 = dist.slice %1 of tensor<8xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  return %2, %1 : tensor<4xf32>, tensor<8xf32>
}
