// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s

// Weights split by columns, then by rows: the hidden values and the first bias are split, and the partial sums are
// combined once, before the second bias.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME: %[[X:.*]]: tensor<8x16x32xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {}]>}
// CHECK-SAME: tensor<128xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}]>}
// CHECK-SAME: tensor<32xf32> {dist.sharding = #dist.sharding<@m, [{}]>}
// CHECK-SAME: -> (tensor<8x16x32xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {}]>})
// CHECK-NOT: dist.reshard
// CHECK: pd.gelu {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}, {"mp"}]>]}
// CHECK: %[[PARTIAL:.*]] = pd.matmul {{.*}}partial = [sum {"mp"}]
// CHECK-NEXT: %[[SUM:.*]] = dist.reshard %[[PARTIAL]] from <@m, [{}, {}, {}], partial = [sum {"mp"}]> to <@m, [{}, {}, {}]>
// CHECK-NEXT: pd.add %[[SUM]], {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]}
// CHECK-NOT: dist.reshard
dist.mesh @m = <["dp"=2, "mp"=4]>
func.func @mlp(%x: tensor<8x16x32xf32>, %w1: tensor<32x128xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %b1: tensor<128xf32>, %w2: tensor<128x32xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {}]>},
    %b2: tensor<32xf32>) -> tensor<8x16x32xf32> {
  %0 = pd.matmul %x, %w1 : (tensor<8x16x32xf32>, tensor<32x128xf32>) -> tensor<8x16x128xf32>
  %1 = pd.add %0, %b1 : (tensor<8x16x128xf32>, tensor<128xf32>) -> tensor<8x16x128xf32>
  %2 = pd.gelu %1 : (tensor<8x16x128xf32>) -> tensor<8x16x128xf32>
  %3 = pd.matmul %2, %w2 : (tensor<8x16x128xf32>, tensor<128x32xf32>) -> tensor<8x16x32xf32>
  %4 = pd.add %3, %b2 : (tensor<8x16x32xf32>, tensor<32xf32>) -> tensor<8x16x32xf32>
  %5 = pd.add %4, %x : (tensor<8x16x32xf32>, tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  return %5 : tensor<8x16x32xf32>
}

// -----

// Heads are the outer factor of the columns, so the axis of the columns splits the heads.
// CHECK-LABEL: func.func @attention
// CHECK: pd.reshape {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}, {"mp"}, {}]>]
// CHECK: pd.softmax {{.*}} {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {"mp"}, {}, {}]>]
// CHECK: dist.reshard {{.*}} partial = [sum {"mp"}]> to <@m, [{}, {}, {}]>
// CHECK-NOT: dist.reshard
dist.mesh @m = <["mp"=4]>
func.func @attention(%x: tensor<2x16x64xf32>, %q: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %k: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %v: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %o: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {}]>}) -> tensor<2x16x64xf32> {
  %0 = pd.matmul %x, %q : (tensor<2x16x64xf32>, tensor<64x64xf32>) -> tensor<2x16x64xf32>
  %1 = pd.matmul %x, %k : (tensor<2x16x64xf32>, tensor<64x64xf32>) -> tensor<2x16x64xf32>
  %2 = pd.matmul %x, %v : (tensor<2x16x64xf32>, tensor<64x64xf32>) -> tensor<2x16x64xf32>
  %3 = pd.reshape %0 {shape = array<i64: 2, 16, 8, 8>} : (tensor<2x16x64xf32>) -> tensor<2x16x8x8xf32>
  %4 = pd.reshape %1 {shape = array<i64: 2, 16, 8, 8>} : (tensor<2x16x64xf32>) -> tensor<2x16x8x8xf32>
  %5 = pd.reshape %2 {shape = array<i64: 2, 16, 8, 8>} : (tensor<2x16x64xf32>) -> tensor<2x16x8x8xf32>
  %6 = pd.transpose %3 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x16x8x8xf32>) -> tensor<2x8x16x8xf32>
  %7 = pd.transpose %4 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x16x8x8xf32>) -> tensor<2x8x16x8xf32>
  %8 = pd.transpose %5 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x16x8x8xf32>) -> tensor<2x8x16x8xf32>
  %9 = pd.matmul %6, %7 {transpose_y = true} : (tensor<2x8x16x8xf32>, tensor<2x8x16x8xf32>) -> tensor<2x8x16x16xf32>
  %10 = pd.softmax %9 {axis = -1 : i64} : (tensor<2x8x16x16xf32>) -> tensor<2x8x16x16xf32>
  %11 = pd.matmul %10, %8 : (tensor<2x8x16x16xf32>, tensor<2x8x16x8xf32>) -> tensor<2x8x16x8xf32>
  %12 = pd.transpose %11 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x16x8xf32>) -> tensor<2x16x8x8xf32>
  %13 = pd.reshape %12 {shape = array<i64: 2, 16, 64>} : (tensor<2x16x8x8xf32>) -> tensor<2x16x64xf32>
  %14 = pd.matmul %13, %o : (tensor<2x16x64xf32>, tensor<64x64xf32>) -> tensor<2x16x64xf32>
  return %14 : tensor<2x16x64xf32>
}

// -----

// Three heads cannot be split in two: the value is gathered before the reshape.
// CHECK-LABEL: func.func @three_heads
// CHECK: %[[Q:.*]] = pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {"mp"}]>]}
// CHECK-NEXT: %[[WHOLE:.*]] = dist.reshard %[[Q]] from <@m, [{}, {"mp"}]> to <@m, [{}, {}]>
// CHECK-NEXT: pd.reshape %[[WHOLE]] {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]
dist.mesh @m = <["mp"=2]>
func.func @three_heads(%x: tensor<4x12xf32>, %q: tensor<12x12xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>})
    -> tensor<4x3x4xf32> {
  %0 = pd.matmul %x, %q : (tensor<4x12xf32>, tensor<12x12xf32>) -> tensor<4x12xf32>
  %1 = pd.reshape %0 {shape = array<i64: 4, 3, 4>} : (tensor<4x12xf32>) -> tensor<4x3x4xf32>
  return %1 : tensor<4x3x4xf32>
}

// -----

// An axis that is larger than the outer factor is cut.
// CHECK-LABEL: func.func @sub_axes
// CHECK: pd.reshape {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x":(1)2}, {"x":(2)2}]>]
dist.mesh @m = <["x"=4]>
func.func @sub_axes(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) -> tensor<2x4xf32> {
  %0 = pd.reshape %x {shape = array<i64: 2, 4>} : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A feed split by its rows: the gradient of the weight is a partial sum, and the new value of the weight has the
// sharding of the weight.
// CHECK-LABEL: func.func @data_parallel
// CHECK-SAME: pd.param = "w"
// CHECK-SAME: -> (tensor<4x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>, pd.state = "w"})
// CHECK: %[[G:.*]] = pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"dp"}]>]
// CHECK-NEXT: dist.reshard %[[G]]
// CHECK-NOT: dist.reshard
dist.mesh @m = <["dp"=2]>
func.func @data_parallel(%x: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>, pd.feed = "x"},
    %w: tensor<4x6xf32> {pd.param = "w"}) -> (tensor<4x6xf32> {pd.state = "w"}) {
  %0 = pd.matmul %x, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = pd.tanh %0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %2 = pd.matmul %x, %1 {transpose_x = true} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %3 = pd.subtract %w, %2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// -----

// Two partial sums are added before they are combined; a product of two is not linear in both.
// CHECK-LABEL: func.func @partial_sums
// CHECK-NOT: dist.reshard
// CHECK: %[[SUM:.*]] = pd.add {{.*}}partial = [sum {"x"}]
// CHECK-NEXT: dist.reshard %[[SUM]] from {{.*}} to <@m, [{}, {}]>
// CHECK-NOT: dist.reshard
// CHECK-LABEL: func.func @partial_product
// CHECK-COUNT-2: dist.reshard
// CHECK: pd.multiply {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}]>]
dist.mesh @m = <["x"=2]>
func.func @partial_sums(%a: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>},
    %b: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}, %u: tensor<8x4xf32>, %v: tensor<8x4xf32>)
    -> tensor<4x4xf32> {
  %0 = pd.matmul %a, %u : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = pd.matmul %b, %v : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = pd.add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func @partial_product(%a: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>},
    %b: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}, %u: tensor<8x4xf32>, %v: tensor<8x4xf32>)
    -> tensor<4x4xf32> {
  %0 = pd.matmul %a, %u : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = pd.matmul %b, %v : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = pd.multiply %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Sequence parallelism: a constraint that splits rows turns the all_reduce into a reduce_scatter, and the gather is
// written once for its two uses.
// CHECK-LABEL: func.func @sequence_parallel
// CHECK: %[[Y:.*]] = pd.matmul {{.*}}partial = [sum {"mp"}]
// CHECK-NEXT: %[[S:.*]] = dist.reshard %[[Y]] from <@m, [{}, {}], partial = [sum {"mp"}]> to <@m, [{"mp"}, {}]>
// CHECK-NEXT: %[[T:.*]] = pd.tanh %[[S]] {dist.shardings = [#dist.sharding<@m, [{"mp"}, {}]>]
// CHECK-NEXT: %[[G:.*]] = dist.reshard %[[T]] from <@m, [{"mp"}, {}]> to <@m, [{}, {}]>
// CHECK-NEXT: pd.matmul %[[G]]
// CHECK-NEXT: pd.matmul %[[G]]
// CHECK-NOT: dist.constrain
// CHECK-NOT: dist.reshard
dist.mesh @m = <["mp"=2]>
func.func @sequence_parallel(%x: tensor<8x64xf32>, %w1: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {}]>},
    %w2: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %w3: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>})
    -> (tensor<8x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
        tensor<8x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) {
  %0 = pd.matmul %x, %w1 : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = pd.tanh %0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = dist.constrain %1 to <@m, [{"mp"}, {}]> : tensor<8x64xf32>
  %3 = pd.matmul %2, %w2 : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %4 = pd.matmul %2, %w3 : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %3, %4 : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// The op gives the kind of the reduction.
// CHECK-LABEL: func.func @reduction_kinds
// CHECK: pd.any {{.*}}partial = [any {"dp"}]
dist.mesh @m = <["dp"=2]>
func.func @reduction_kinds(%x: tensor<4x8xi1> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>}) -> tensor<8xi1> {
  %0 = pd.any %x {axis = array<i64: 0>} : (tensor<4x8xi1>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}
