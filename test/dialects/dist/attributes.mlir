// Text of meshes and shardings, parsed and printed.
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --mlir-print-op-generic | proa-opt | FileCheck %s
// RUN: proa-opt %s --emit-bytecode | proa-opt | FileCheck %s

// CHECK: dist.mesh @grid = <["x"=2, "y"=4, "z"=8]>
dist.mesh @grid = <["x"=2, "y"=4, "z"=8]>
// CHECK: dist.mesh @stage1 = <["x"=2], devices = [3, 2]>
dist.mesh @stage1 = <["x"=2], devices = [3, 2]>
// CHECK: dist.mesh @one = <[]>
dist.mesh @one = <[]>
// CHECK: dist.mesh @list = <["x"=2], devices = [0, 1]>
dist.mesh @list = <["x"=2], devices = [0, 1]>

// CHECK-LABEL: func @annotations
// CHECK-SAME: dist.sharding = #dist.sharding<@grid, [{"x", "y"}, {}]>
// CHECK-SAME: dist.sharding = #dist.sharding<@grid, [{?}, {"x", ?}p2]>
// CHECK-SAME: dist.sharding = #dist.sharding<@grid, [{"z":(2)2}, {"z":(1)2}]>
// CHECK-SAME: dist.sharding = #dist.sharding<@grid, [{}], replicated = {"x", "z":(4)2}, partial = [sum {"y"}, avg {"z":(1)2}]>
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@grid, [{"x"} blocks(4, 2, 2), {?}p1 blocks(6, 2)]>})
func.func @annotations(
    %a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@grid, [{"x", "y"}, {}]>},
    %b: tensor<8x8xf32> {dist.sharding = #dist.sharding<@grid, [{?}, {"x", ?}p2]>},
    %c: tensor<8x8xf32> {dist.sharding = #dist.sharding<@grid, [{"z":(2)2}, {"z":(1)2}]>},
    %d: tensor<8xf32> {dist.sharding = #dist.sharding<@grid, [{}], partial = [sum {"y"}, avg {"z":(1)2}], replicated = {"x", "z":(4)2}>})
    -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@grid, [{"x"} blocks(4, 2, 2), {?}p1 blocks(6, 2)]>}) {
  // CHECK: pd.add {{.*}} {dist.shardings = [#dist.sharding<@grid, [{"x"}, {}]>]}
  %0 = pd.add %a, %b {dist.shardings = [#dist.sharding<@grid, [{"x"}, {}]>]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: pd.relu {{.*}} {dist.shardings = [unit]}
  %1 = pd.relu %0 {dist.shardings = [unit]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Three or more equal blocks are printed as a product.
// CHECK-LABEL: func private @blocks
// CHECK-SAME: a = #dist.dim<{"x"} blocks(3 * 16)>, b = #dist.dim<{"x"} blocks(8, 8)>, c = #dist.dim<{"x"} blocks(1, 4 * 2, 1)>
func.func private @blocks() attributes {a = #dist.dim<{"x"} blocks(16, 2 * 16)>, b = #dist.dim<{"x"} blocks(2 * 8)>, c = #dist.dim<{"x"} blocks(1, 2, 2, 2, 2, 1)>}

// Shards of shardings as attributes of their own.
// CHECK-LABEL: func private @shards
// CHECK-SAME: a = #dist.axis<"x">, b = #dist.axis<"x":(2)4>, c = #dist.dim<{"x", ?}p1>, d = #dist.partial<max {"x"}>, e = #dist.group<@grid, {"x", "y"}>, f = !dist.future<>, g = !dist.future<tensor<?xf32>>
func.func private @shards() attributes {a = #dist.axis<"x">, b = #dist.axis<"x":(2)4>, c = #dist.dim<{"x", ?}p1>, d = #dist.partial<max {"x"}>, e = #dist.group<@grid, {"x", "y"}>, f = !dist.future<>, g = !dist.future<tensor<?xf32>>}
