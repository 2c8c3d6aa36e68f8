// RUN: proa-opt %s --dist-propagate=check | FileCheck %s
// RUN: proa-opt %s --dist-propagate="explain=pd.cumsum#0,pd.argmax#0,pd.argmax#1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: proa-opt %s --dist-propagate --dist-partition | FileCheck %s --check-prefix=LOCAL

// EXPLAIN: pd.cumsum#0: [{}, {mp}]
// EXPLAIN: computed as [{}, {mp}]
// EXPLAIN-NEXT: by its local form: communication of {{[0-9.]+}} us with it, {{[0-9.]+}} us without
// EXPLAIN: pd.argmax#0: [{}]
// EXPLAIN-NEXT: computed as [{}]
// EXPLAIN-NEXT: by its local form: communication of
// EXPLAIN: pd.argmax#1: [{}]
// EXPLAIN-NEXT: computed as [{}]
// EXPLAIN-NEXT: not by its local form: communication of
dist.mesh @m = <["mp"=4]>
// The totals of shards are less than the input.
// CHECK-LABEL: @scan
// CHECK-NEXT: pd.cumsum %{{.*}}[{}, {"mp"}]
func.func @scan(%x: tensor<64x4096xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<64x4096xf32> {
  %0 = pd.cumsum %x {axis = 1} : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %0 : tensor<64x4096xf32>
}
// Each device has the rows of some ids, so the result is a sum.
// CHECK-LABEL: @vocabulary
// CHECK-NEXT: %[[TERM:.*]] = pd.embedding %{{.*}}, %{{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"mp"}]>]}
// CHECK-NEXT: dist.reshard %[[TERM]] from
func.func @vocabulary(%ids: tensor<8xi64>, %w: tensor<5000x64xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {}]>}) -> tensor<8x64xf32> {
  %0 = pd.embedding %ids, %w : (tensor<8xi64>, tensor<5000x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
// CHECK-LABEL: @large
// CHECK-NEXT: pd.argmax %arg0
func.func @large(%x: tensor<8x100000xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<8xi64> {
  %0 = pd.argmax %x {axis = 1} : (tensor<8x100000xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
// Two collectives on values and indices take longer than one on the few elements.
// CHECK-LABEL: @small
// CHECK-NEXT: %[[X:.*]] = dist.reshard %arg0
// CHECK-NEXT: pd.argmax %[[X]]
func.func @small(%x: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<8xi64> {
  %0 = pd.argmax %x {axis = 1} : (tensor<8x16xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
// The two rows at the ends of shards are exchanged.
// CHECK-LABEL: @conv
// CHECK-NEXT: pd.conv2d %arg0, %arg1 {dist.shardings = [#dist.sharding<@m, [{}, {}, {"mp"}, {}]>]
// LOCAL-LABEL: @conv
// LOCAL-COUNT-2: dist.recv of {{.*}} : tensor<1x3x1x64xf32>
// LOCAL-NOT: dist.{{recv|all_gather}}
// LOCAL: pd.conv2d
func.func @conv(%x: tensor<1x3x64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"mp"}, {}]>}, %w: tensor<8x3x3x3xf32>) -> tensor<1x8x64x64xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 1>} : (tensor<1x3x64x64xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x64x64xf32>
  return %0 : tensor<1x8x64x64xf32>
}

// A shard of the windows would have no rows: 3 rows of the result for 4 devices.
// CHECK-LABEL: @few_rows
// CHECK-NEXT: dist.reshard %arg0
func.func @few_rows(%x: tensor<1x3x5x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"mp"}, {}]>}, %w: tensor<8x3x3x3xf32>) -> tensor<1x8x3x62xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x5x64xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x3x62xf32>
  return %0 : tensor<1x8x3x62xf32>
}

// The terms of a sum are combined before a local form.
// CHECK-LABEL: @terms
// CHECK: pd.matmul
// CHECK-NEXT: %[[SUM:.*]] = dist.reshard
// CHECK-NEXT: pd.cumsum %[[SUM]]
func.func @terms(%x: tensor<64x128xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}, %w: tensor<128x64xf32>) -> (tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) {
  %0 = pd.matmul %x, %w : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %1 = pd.cumsum %0 {axis = 1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
