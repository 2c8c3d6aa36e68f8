// pd-vmap of functions with shardings: each gets an entry for the examples.
// RUN: proa-opt %s --pd-vmap="function=annotated size=8 mapped=1,-1" | FileCheck %s --check-prefix=WHOLE
// RUN: proa-opt %s --pd-vmap="function=annotated size=8 mapped=1,-1 open-examples" | FileCheck %s --check-prefix=OPEN
// RUN: proa-opt %s --pd-vmap="function=annotated mapped=1,-1" | FileCheck %s --check-prefix=DYNAMIC
// RUN: proa-opt %s --pd-vmap="function=local size=8 mapped=0,-1" | FileCheck %s --check-prefix=LOCAL
// RUN: proa-opt %s --pd-vmap="function=local mapped=0,-1" | FileCheck %s --check-prefix=LOCALDYN
// RUN: proa-opt %s --pd-vmap="function=refined size=8" | FileCheck %s --check-prefix=REFINED
// The batched function propagates and can be partitioned.
// RUN: proa-opt %s --pd-vmap="function=annotated size=8" --symbol-privatize=exclude=annotated_vmap --symbol-dce --dist-propagate=check --dist-partition | FileCheck %s --check-prefix=PARTITION

dist.mesh @m = <["dp"=2, "mp"=2]>

// An argument that all examples share keeps its sharding.
// WHOLE-LABEL: func @annotated_vmap(
// WHOLE-SAME: tensor<4x8x6xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {}, {}]>}
// WHOLE-SAME: tensor<6x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}
// WHOLE-SAME: -> (tensor<8x4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"dp"}, {?}]>})
// WHOLE: %[[Y:.*]] = pd.matmul
// WHOLE-NOT: dist.shardings
// WHOLE: %[[C:.*]] = dist.constrain %[[Y]] to <@m, [{}, {"dp"}, {"mp"}]> : tensor<8x4x8xf32>
// WHOLE: pd.tanh %[[C]]
// WHOLE: dist.constrain %{{.*}} to <@m, [{}, {"dp", ?}, {"mp"}]> : tensor<8x4x8xf32>
// WHOLE: dist.reshard %{{.*}} from <@m, [{}, {"dp"}, {"mp"}]> to <@m, [{}, {"dp"}, {}]> : tensor<8x4x8xf32>

// OPEN-LABEL: func @annotated_vmap(
// OPEN-SAME: tensor<4x8x6xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {?}, {}]>}
// OPEN-SAME: tensor<6x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}
// OPEN-SAME: -> (tensor<8x4x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"dp"}, {?}]>})
// OPEN-NOT: open_examples
// OPEN: dist.constrain %{{.*}} to <@m, [{?}, {"dp"}, {"mp"}]> : tensor<8x4x8xf32>
// OPEN: dist.constrain %{{.*}} to <@m, [{?}, {"dp", ?}, {"mp"}]> : tensor<8x4x8xf32>
// OPEN: dist.reshard %{{.*}} from <@m, [{}, {"dp"}, {"mp"}]> to <@m, [{}, {"dp"}, {}]> : tensor<8x4x8xf32>

// DYNAMIC-LABEL: func @annotated_vmap(
// DYNAMIC: dist.constrain %{{.*}} to <@m, [{}, {"dp"}, {"mp"}]> : tensor<?x4x8xf32>
func.func @annotated(%x: tensor<4x6xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {} ]>},
                     %w: tensor<6x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} ]>})
    -> (tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{"dp"}, {?} ]>}) {
  %y = pd.matmul %x, %w {dist.shardings = [#dist.sharding<@m, [{"dp"}, {"mp"} ]>]}
    : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %t = pd.tanh %y : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = dist.constrain %t to <@m, [{"dp", ?}, {"mp"} ]> : tensor<4x8xf32>
  %r = dist.reshard %c from <@m, [{"dp"}, {"mp"} ]> to <@m, [{"dp"}, {} ]> : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A collective serves all examples; one of a value without examples stays as it is.
// LOCAL-LABEL: func @local_vmap(
// LOCAL-SAME: tensor<8x2x6xf32> {dist.global = tensor<8x4x6xf32>, dist.sharding = #dist.sharding<@m, [{}, {"dp"}, {}]>}
// LOCAL: dist.all_gather %{{.*}} of tensor<8x4x6xf32> from <@m, [{}, {"dp"}, {}]> to <@m, [{}, {}, {}]> : tensor<8x2x6xf32> -> tensor<8x4x6xf32>
// LOCAL: dist.all_gather %{{.*}} of tensor<4x6xf32> from <@m, [{"dp"}, {}]> to <@m, [{}, {}]> : tensor<2x6xf32> -> tensor<4x6xf32>
// LOCAL: dist.to_global %{{.*}} with <@m, [{}, {"dp"}, {}]> : tensor<8x2x6xf32> -> tensor<8x4x6xf32>
// LOCAL: dist.to_local %{{.*}} with <@m, [{}, {"dp"}, {}]> : tensor<8x4x6xf32> -> tensor<8x2x6xf32>
// LOCAL: dist.broadcast %{{.*}} over <@m, {"mp"}> root [1] : tensor<8x2x6xf32> -> tensor<8x2x6xf32>

// LOCALDYN-LABEL: func @local_vmap(
// LOCALDYN-SAME: tensor<?x2x6xf32> {dist.global = tensor<?x4x6xf32>
// LOCALDYN: dist.all_gather %{{.*}} of tensor<?x4x6xf32> from <@m, [{}, {"dp"}, {}]> to <@m, [{}, {}, {}]> : tensor<?x2x6xf32> -> tensor<?x4x6xf32>
func.func @local(%x: tensor<2x6xf32> {dist.global = tensor<4x6xf32>, dist.sharding = #dist.sharding<@m, [{"dp"}, {} ]>},
                 %w: tensor<2x6xf32>) -> (tensor<4x6xf32>, tensor<2x6xf32>) {
  %0 = dist.all_gather %x of tensor<4x6xf32> from <@m, [{"dp"}, {} ]> to <@m, [{}, {} ]> : tensor<2x6xf32> -> tensor<4x6xf32>
  %1 = dist.all_gather %w of tensor<4x6xf32> from <@m, [{"dp"}, {} ]> to <@m, [{}, {} ]> : tensor<2x6xf32> -> tensor<4x6xf32>
  %2 = pd.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = dist.to_global %x with <@m, [{"dp"}, {} ]> : tensor<2x6xf32> -> tensor<4x6xf32>
  %4 = dist.to_local %3 with <@m, [{"dp"}, {} ]> : tensor<4x6xf32> -> tensor<2x6xf32>
  %5 = dist.broadcast %4 over <@m, {"mp"}> root [1] : tensor<2x6xf32> -> tensor<2x6xf32>
  return %2, %5 : tensor<4x6xf32>, tensor<2x6xf32>
}

// PARTITION-LABEL: func.func @annotated_vmap(
// PARTITION-SAME: tensor<8x2x6xf32> {dist.global = tensor<8x4x6xf32>

// The batched op has a static dim where the op has none.
// REFINED-LABEL: func @refined_vmap(
// REFINED: dist.constrain %{{.*}} to <@m, [{}, {"dp"}, {}]> : tensor<8x2x6xf32>
func.func @refined(%x: tensor<12xf32>) -> tensor<2x?xf32> {
  %0 = pd.reshape %x {dist.shardings = [#dist.sharding<@m, [{"dp"}, {} ]>], shape = array<i64: 2, 6>}
    : (tensor<12xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
