// RUN: proa-opt %s --dist-partition | FileCheck %s
// RUN: proa-opt %s --dist-partition --remarks=dist-partition -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// With the sizes of one device.
// RUN: proa-opt %s --dist-partition=rank=3 | FileCheck %s --check-prefix=RANK

dist.mesh @m = <["x"=2, "y"=2]>

#whole = #dist.sharding<@m, [{}, {}]>
#rows = #dist.sharding<@m, [{"x"}, {}]>
#columns = #dist.sharding<@m, [{}, {"y"}]>
#grid = #dist.sharding<@m, [{"x"}, {"y"}]>
#both = #dist.sharding<@m, [{"x", "y"}, {}]>
#sum_y = #dist.sharding<@m, [{"x"}, {}], partial = [sum {"y"}]>
#vector = #dist.sharding<@m, [{"x"}]>
#vector_y = #dist.sharding<@m, [{"y"}]>
#vector_whole = #dist.sharding<@m, [{}]>
#vector_sum = #dist.sharding<@m, [{}], partial = [sum {"x"}]>
#scalar = #dist.sharding<@m, []>
#scalar_sum = #dist.sharding<@m, [], partial = [sum {"x"}]>

// A matmul over a split dimension gives terms of a sum; the linear op after it runs on the terms.
// CHECK-LABEL: func @contraction
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32> {dist.global = tensor<8x16xf32>, dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>},
// CHECK-SAME:  %[[W:.*]]: tensor<8x6xf32> {dist.global = tensor<16x6xf32>, dist.sharding = #dist.sharding<@m, [{"y"}, {}]>})
// CHECK-SAME: -> (tensor<4x6xf32> {dist.global = tensor<8x6xf32>, dist.sharding = #dist.sharding<@m, [{"x"}, {}]>})
// CHECK-NEXT: %[[P:.*]] = pd.matmul %[[X]], %[[W]] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[T:.*]] = pd.transpose %[[P]] {perm = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[U:.*]] = pd.transpose %[[T]] {perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[R:.*]] = dist.all_reduce %[[U]] of tensor<8x6xf32> from <@m, [{"x"}, {}], partial = [sum {"y"}]> to <@m, [{"x"}, {}]> : tensor<4x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %[[R]] : tensor<4x6xf32>
func.func @contraction(%x: tensor<8x16xf32> {dist.sharding = #grid},
                       %w: tensor<16x6xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>})
    -> (tensor<8x6xf32> {dist.sharding = #rows}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#sum_y]} : (tensor<8x16xf32>, tensor<16x6xf32>) -> tensor<8x6xf32>
  %1 = pd.transpose %0 {perm = array<i64: 1, 0>, dist.shardings = [#dist.sharding<@m, [{}, {"x"}], partial = [sum {"y"}]>]}
         : (tensor<8x6xf32>) -> tensor<6x8xf32>
  %2 = pd.transpose %1 {perm = array<i64: 1, 0>, dist.shardings = [#sum_y]} : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %3 = dist.reshard %2 from <@m, [{"x"}, {}], partial = [sum {"y"}]> to <@m, [{"x"}, {}]> : tensor<8x6xf32>
  return %3 : tensor<8x6xf32>
}

// Uneven shards are dynamic, or have the sizes of the device.
// CHECK-LABEL: func @uneven
// CHECK: %[[E:.*]] = pd.exp %{{.*}} : (tensor<?x6xf32>) -> tensor<?x6xf32>
// CHECK: pd.reshape %[[E]] {shape = array<i64: -1, 2, 3>} : (tensor<?x6xf32>) -> tensor<?x2x3xf32>
// RANK-LABEL: func @uneven
// RANK: pd.reshape %{{.*}} {shape = array<i64: 2, 2, 3>} : (tensor<2x6xf32>) -> tensor<2x2x3xf32>
func.func @uneven(%x: tensor<9x6xf32> {dist.sharding = #both})
    -> (tensor<9x2x3xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}, {}]>}) {
  %0 = pd.exp %x {dist.shardings = [#both]} : (tensor<9x6xf32>) -> tensor<9x6xf32>
  %1 = pd.reshape %0 {shape = array<i64: 9, 2, 3>, dist.shardings = [#dist.sharding<@m, [{"x", "y"}, {}, {}]>]}
         : (tensor<9x6xf32>) -> tensor<9x2x3xf32>
  return %1 : tensor<9x2x3xf32>
}

// Two dims of the shape are dynamic, so that the reshape runs whole; with the sizes of a device it runs on shards.
// REMARK: pd.reshape runs whole on each device: type inference does not accept its local types
// CHECK-LABEL: func @two_uneven_dims
// CHECK: %[[G:.*]] = dist.all_gather %{{.*}} : tensor<?x?x6xf32> -> tensor<9x5x6xf32>
// CHECK: %[[R:.*]] = pd.reshape %[[G]] {shape = array<i64: 9, 5, 2, 3>} : (tensor<9x5x6xf32>) -> tensor<9x5x2x3xf32>
// CHECK: dist.slice %[[R]] {{.*}} : tensor<9x5x2x3xf32> -> tensor<?x?x2x3xf32>
// RANK-LABEL: func @two_uneven_dims
// RANK: pd.reshape %{{.*}} {shape = array<i64: 4, 2, 2, 3>} : (tensor<4x2x6xf32>) -> tensor<4x2x2x3xf32>
func.func @two_uneven_dims(%x: tensor<9x5x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}]>})
    -> (tensor<9x5x2x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}, {}]>}) {
  %0 = pd.reshape %x {shape = array<i64: 9, 5, 2, 3>, dist.shardings = [#dist.sharding<@m, [{"x"}, {"y"}, {}, {}]>]}
         : (tensor<9x5x6xf32>) -> tensor<9x5x2x3xf32>
  return %0 : tensor<9x5x2x3xf32>
}

// Attributes with dims of a result become the dims of the shard. A constant of equal elements shrinks, others are
// sliced. Random numbers are sampled for the shard.
// CHECK-LABEL: func @creation
// CHECK-NEXT: %[[F:.*]] = pd.full {dtype = f32, shape = array<i64: 4, 3>, value = 2.000000e+00 : f64} : () -> tensor<4x3xf32>
// CHECK-NEXT: %[[C:.*]] = pd.constant dense<3.000000e+00> : tensor<4x3xf32>
// CHECK-NEXT: %[[D:.*]] = pd.constant dense<{{.*}}> : tensor<2x6xf32>
// CHECK-NEXT: %[[S:.*]] = dist.slice %[[D]] of tensor<2x6xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {"y"}]> : tensor<2x6xf32> -> tensor<1x3xf32>
// CHECK: pd.uniform part_begin = %{{.*}} {dtype = f32, seed = 7 : i64, shape = array<i64: 4, 3>, whole_shape = array<i64: 8, 6>} : (tensor<2xi64>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[B:.*]] = pd.expand %{{.*}} {shape = array<i64: 4, 3>} : (tensor<3xf32>) -> tensor<4x3xf32>
// REMARK: pd.constant runs whole on each device
// REMARK: pd.uniform becomes its local form
func.func @creation(%bias: tensor<6xf32> {dist.sharding = #vector_y}) -> (tensor<8x6xf32> {dist.sharding = #grid}) {
  %0 = pd.full {shape = array<i64: 8, 6>, dtype = f32, value = 2.0 : f64, dist.shardings = [#grid]} : () -> tensor<8x6xf32>
  %1 = pd.constant {dist.shardings = [#grid]} dense<3.0> : tensor<8x6xf32>
  %2 = pd.constant {dist.shardings = [#grid]} dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<2x6xf32>
  %3 = pd.uniform {shape = array<i64: 8, 6>, dtype = f32, seed = 7 : i64, dist.shardings = [#grid]} : () -> tensor<8x6xf32>
  %4 = pd.expand %bias {shape = array<i64: 8, 6>, dist.shardings = [#grid]} : (tensor<6xf32>) -> tensor<8x6xf32>
  %5 = pd.add %0, %1 {dist.shardings = [#grid]} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %6 = pd.add %5, %3 {dist.shardings = [#grid]} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %7 = pd.add %6, %4 {dist.shardings = [#grid]} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %7 : tensor<8x6xf32>
}

// Regions and calls. The condition is replicated, so all devices take the same branch.
// CHECK-LABEL: func @regions
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>
// CHECK: scf.if %{{.*}} -> (tensor<4x6xf32>) {
// CHECK:   call @helper(%{{.*}}) : (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
// CHECK:   dist.all_reduce %{{.*}} from <@m, [], partial = [sum {"x"}]> to <@m, []> : tensor<f32> -> tensor<f32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4x6xf32>) {
func.func @regions(%x: tensor<8x6xf32> {dist.sharding = #rows}, %p: i1, %n: index) -> (tensor<8x6xf32> {dist.sharding = #rows}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.if %p -> tensor<8x6xf32> {
    %y = func.call @helper(%x) {dist.shardings = [#rows]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    scf.yield %y : tensor<8x6xf32>
  } else {
    scf.yield %x : tensor<8x6xf32>
  } {dist.shardings = [#rows]}
  %1 = scf.while (%a = %0) : (tensor<8x6xf32>) -> tensor<8x6xf32> {
    %s = pd.sum %a {dist.shardings = [#scalar_sum]} : (tensor<8x6xf32>) -> tensor<f32>
    %t = dist.reshard %s from <@m, [], partial = [sum {"x"}]> to <@m, []> : tensor<f32>
    %limit = pd.constant {dist.shardings = [#scalar]} dense<9.0> : tensor<f32>
    %c = pd.less_than %t, %limit {dist.shardings = [#scalar]} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %a : tensor<8x6xf32>
  } do {
  ^bb0(%a: tensor<8x6xf32>):
    %y = pd.add %a, %a {dist.shardings = [#rows]} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    scf.yield %y : tensor<8x6xf32>
  } attributes {dist.shardings = [#rows]}
  %2 = scf.for %i = %zero to %n step %one iter_args(%a = %1) -> tensor<8x6xf32> {
    %y = pd.relu %a {dist.shardings = [#rows]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    scf.yield %y : tensor<8x6xf32>
  } {dist.shardings = [#rows]}
  return %2 : tensor<8x6xf32>
}

// CHECK-LABEL: func @helper
// CHECK-SAME: tensor<4x6xf32> {dist.global = tensor<8x6xf32>
func.func @helper(%x: tensor<8x6xf32> {dist.sharding = #rows}) -> (tensor<8x6xf32> {dist.sharding = #rows}) {
  %0 = pd.tanh %x {dist.shardings = [#rows]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Code for one device, and a constraint, which is satisfied.
// CHECK-LABEL: func @manual
// CHECK-NEXT: %[[E:.*]] = pd.exp %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return %[[E]]
func.func @manual(%x: tensor<8x6xf32> {dist.sharding = #rows}) -> (tensor<8x6xf32> {dist.sharding = #rows}) {
  %0 = dist.to_local %x with <@m, [{"x"}, {}]> : tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = pd.exp %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = dist.to_global %1 with <@m, [{"x"}, {}]> : tensor<4x6xf32> -> tensor<8x6xf32>
  %3 = dist.constrain %2 to <@m, [{?}, {}]> : tensor<8x6xf32>
  return %3 : tensor<8x6xf32>
}

// A mean of terms plus a replicated value is a mean of terms.
// CHECK-LABEL: func @average
// CHECK: pd.add %{{.*}}, %{{.*}} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
func.func @average(%x: tensor<6xf32> {dist.sharding = #dist.sharding<@m, [{}], partial = [avg {"x"}]>},
                   %y: tensor<6xf32> {dist.sharding = #vector_whole})
    -> (tensor<6xf32> {dist.sharding = #dist.sharding<@m, [{}], partial = [avg {"x"}]>}) {
  %0 = pd.add %x, %y {dist.shardings = [#dist.sharding<@m, [{}], partial = [avg {"x"}]>]} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// A function without shardings is not changed.
// CHECK-LABEL: func @local
// CHECK-NEXT: pd.relu %{{.*}} : (tensor<8xf32>) -> tensor<8xf32>
func.func @local(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pd.relu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A scan of a split dimension: its local form gathers the totals of the shards. The value may differ on the devices of
// the other axis.
// CHECK-LABEL: func @local_form
// CHECK: %[[T:.*]] = pd.sum %{{.*}} : (tensor<4xf32>) -> tensor<1xf32>
// CHECK: dist.all_gather %[[T]] of tensor<2xf32> from <@m, [{"x"}], partial = [sum {"y"}]> to <@m, [{}], partial = [sum {"y"}]> : tensor<1xf32> -> tensor<2xf32>
// REMARK: pd.cumsum becomes its local form
// RANK-LABEL: func @local_form
// RANK: dist.all_gather %{{.*}} of tensor<2xf32>
func.func @local_form(%x: tensor<8xf32> {dist.sharding = #vector}) -> (tensor<8xf32> {dist.sharding = #vector}) {
  %0 = pd.cumsum %x {axis = 0 : i64, dist.shardings = [#vector]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
