// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s

// ZeRO 1: the moments are split over the devices of data parallelism, the parameter is whole. The gradient is
// reduce-scattered, and the new parameter is gathered.
// CHECK-LABEL: func.func @zero1
// CHECK: %[[G:.*]] = pd.matmul {{.*}}partial = [sum {"dp"}]
// CHECK-NEXT: %[[PART:.*]] = dist.reshard %[[G]] from <@m, [{}, {}], partial = [sum {"dp"}]> to <@m, [{"dp"}, {}]>
// CHECK: %[[M:.*]] = pd.add {{.*}}, %[[PART]] {dist.shardings = [#dist.sharding<@m, [{"dp"}, {}]>]
// CHECK: %[[NEW:.*]] = pd.subtract %{{.*}}, %[[M]] {dist.shardings = [#dist.sharding<@m, [{"dp"}, {}]>]
// CHECK-NEXT: %[[WHOLE:.*]] = dist.reshard %[[NEW]] from <@m, [{"dp"}, {}]> to <@m, [{}, {}]>
// CHECK-NEXT: return %[[WHOLE]], %[[M]]
dist.mesh @m = <["dp"=4]>
func.func @zero1(%x: tensor<64x16xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>, pd.feed = "x"},
    %w: tensor<16x32xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>, pd.param = "w"},
    %m: tensor<16x32xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>, pd.param = "m"})
    -> (tensor<16x32xf32> {pd.state = "w"}, tensor<16x32xf32> {pd.state = "m"}) {
  %0 = pd.matmul %x, %w : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
  %1 = pd.tanh %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = pd.matmul %x, %1 {transpose_x = true} : (tensor<64x16xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
  %3 = pd.add %m, %2 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %4 = pd.subtract %w, %3 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  return %4, %3 : tensor<16x32xf32>, tensor<16x32xf32>
}

// -----

// ZeRO 3: the parameter is split too. It is gathered for the product, because the rows of the feed have the same axis
// and are more than the rows of the parameter.
// CHECK-LABEL: func.func @zero3
// CHECK: %[[W:.*]] = dist.reshard %{{.*}} from <@m, [{"dp"}, {}]> to <@m, [{}, {}]> : tensor<16x32xf32>
// CHECK: pd.matmul %{{.*}}, %[[W]] {dist.shardings = [#dist.sharding<@m, [{"dp"}, {}]>]
// CHECK: dist.reshard %{{.*}} from <@m, [{}, {}], partial = [sum {"dp"}]> to <@m, [{"dp"}, {}]>
// CHECK: %[[NEW:.*]] = pd.subtract {{.*}} {dist.shardings = [#dist.sharding<@m, [{"dp"}, {}]>]
// CHECK-NEXT: return %[[NEW]]
dist.mesh @m = <["dp"=4]>
func.func @zero3(%x: tensor<4096x16xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>, pd.feed = "x"},
    %w: tensor<16x32xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>, pd.param = "w"})
    -> (tensor<16x32xf32> {pd.state = "w"}) {
  %0 = pd.matmul %x, %w : (tensor<4096x16xf32>, tensor<16x32xf32>) -> tensor<4096x32xf32>
  %1 = pd.tanh %0 : (tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %2 = pd.matmul %x, %1 {transpose_x = true} : (tensor<4096x16xf32>, tensor<4096x32xf32>) -> tensor<16x32xf32>
  %3 = pd.subtract %w, %2 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}
