// A sort of shards moves more than a gather: it is chosen where a memory limit or the annotation of the sort asks for it.
// RUN: proa-opt %s --dist-propagate=check | FileCheck %s
// RUN: proa-opt %s --dist-propagate="check memory-limit=700" | FileCheck %s --check-prefix=LIMIT
// RUN: proa-opt %s --dist-propagate="explain=pd.argsort#0,pd.argsort#1,pd.argsort#2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=2 | FileCheck %s --check-prefix=LOCAL
// RUN: not proa-opt %s --dist-propagate=memory-limit=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: dist-propagate: expected a memory-limit of at least 0, found -1
// EXPLAIN: not by its local form: communication of {{[0-9.]+}} us with it, {{[0-9.]+}} us without{{$}}
// EXPLAIN: by its local form: communication of {{[0-9.]+}} us with it, {{[0-9.]+}} us without; as annotated
// EXPLAIN: not by its local form: communication of (not possible) with it, {{[0-9.]+}} us without{{$}}

dist.mesh @m = <["x"=4]>
// The whole takes 768 bytes.
// CHECK-LABEL: @gathered
// CHECK: dist.reshard %arg0
// LIMIT-LABEL: @gathered
// LIMIT-NOT: dist.reshard
// LIMIT: pd.argsort %arg0
func.func @gathered(%x: tensor<6x32xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}) -> tensor<6x32xf32> {
  %0, %1 = pd.argsort %x {axis = 1} : (tensor<6x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xi64>)
  return %0 : tensor<6x32xf32>
}

// Three rounds of exchanges of values and indices between 4 devices. In the last one devices 0 and 3 keep their shards.
// CHECK-LABEL: @annotated
// CHECK-NEXT: pd.argsort %arg0
// LOCAL-LABEL: @annotated
// LOCAL: pd.argsort {{.*}} : (tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xi64>)
// LOCAL-COUNT-6: dist.send
// LOCAL-NOT: dist.send
// LOCAL: pd.constant dense<[1, 0, 0, 1]>
// LOCAL: return
func.func @annotated(%x: tensor<6x32xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}) -> tensor<6x32xf32> {
  %0, %1 = pd.argsort %x {axis = 1, dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>, #dist.sharding<@m, [{}, {"x"}]>]} : (tensor<6x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xi64>)
  return %0 : tensor<6x32xf32>
}

// Shards of unequal sizes are gathered in spite of the annotation.
// CHECK-LABEL: @uneven
// CHECK-NEXT: dist.reshard %arg0
// CHECK-NEXT: pd.argsort
func.func @uneven(%x: tensor<6x30xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}) -> tensor<6x30xf32> {
  %0, %1 = pd.argsort %x {axis = 1, dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>, #dist.sharding<@m, [{}, {"x"}]>]} : (tensor<6x30xf32>) -> (tensor<6x30xf32>, tensor<6x30xi64>)
  return %0 : tensor<6x30xf32>
}

// The axis is not split.
// LIMIT-LABEL: @other_axis
// LIMIT-NEXT: pd.argsort %arg0
// LOCAL-LABEL: @other_axis
// LOCAL-NOT: dist.send
// LOCAL: return
func.func @other_axis(%x: tensor<8x32xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> tensor<8x32xf32> {
  %0, %1 = pd.argsort %x {axis = 1} : (tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xi64>)
  return %0 : tensor<8x32xf32>
}
