// RUN: proa-opt %s --proa-choose-parts --split-input-file | FileCheck %s --check-prefix=CHOOSE
// RUN: proa-opt %s --proa-choose-parts --proa-split-reductions --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-choose-parts --proa-split-reductions --remarks=proa-.* --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// One row of a million terms is shared by blocks: a partial result of each is in scratch memory, and the last block
// combines them.
// REMARK: proa-choose-parts: {{[0-9]+}} blocks share the reductions of a row
// CHOOSE-LABEL: func.func @sum
// CHOOSE-SAME: proa.parts = [[PARTS:[0-9]+]] : i64
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %{{.*}}: memref<i8> {llvm.noalias}, %{{.*}}: memref<i32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: proa.counters
// CHECK-SAME: proa.scratch = [array<i64: 1, [[PARTS:[0-9]+]], 16>]
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: nvvm.memory.barrier
// CHECK: gpu.barrier
// CHECK: memref.atomic_rmw addi
// CHECK: scf.if
// CHECK: linalg.generic
func.func @sum(%x: memref<1048576xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = 1 : i64} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.starts_filled = [0.0 : f32]} ins(%x : memref<1048576xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A short row stays with one block.
// REMARK: proa-choose-parts: each row is computed by one block: there are enough rows, or few elements
// CHOOSE-LABEL: func.func @short
// CHOOSE-NOT: proa.parts
// CHECK-LABEL: func.func @short
// CHECK-NOT: memref.atomic_rmw
func.func @short(%x: memref<1024xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = 1 : i64} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.starts_filled = [0.0 : f32]} ins(%x : memref<1024xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}
