// RUN: proa-opt %s --proa-block-sums=block-elements=64 --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-block-sums=block-elements=64 --split-input-file --remarks=proa-block-sums -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A column sum of many rows: blocks of 64 rows are summed in a buffer, which is added to the accumulator.
// REMARK: the sum is computed in blocks of 64 terms
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[X:.*]]: memref<1000x4xf32>, %[[SUM:.*]]: memref<4xf32>
// CHECK: %[[BLOCK:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]]
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[BLOCK]]
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]{{.*}} ins(%[[ROWS]]{{.*}} outs(%[[BLOCK]]
// CHECK: linalg.generic {{.*}}["parallel"]{{.*}} ins(%[[BLOCK]]{{.*}} outs(%{{.*}}memref<4xf32
#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @columns(%x: memref<1000x4xf32>, %sum: memref<4xf32>) {
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<1000x4xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The number of rows is not known: if there are more than 64, blocks, and groups of 64 blocks.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[LONG:.*]] = arith.cmpi sgt, %{{.*}}, %c64
// CHECK: scf.if %[[LONG]] {
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: scf.for %{{.*}} step %c4096
// CHECK: scf.for %{{.*}} step %c64
// CHECK: } else {
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]
#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @dynamic(%x: memref<?x?xf32>, %sum: memref<?xf32>) {
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Two reduced loops, the inner one over a row: blocks of 2 x 512 addends.
// CHECK-LABEL: func.func @planes
// CHECK: scf.for
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0, 0] [2, 4, 512]
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
func.func @planes(%x: memref<10x4x512xf32>, %sum: memref<4xf32>) {
  linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["reduction", "parallel", "reduction"]} ins(%x : memref<10x4x512xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Near misses: few addends, a row, which is vectorized, another type, a matmul, a maximum.
#left = affine_map<(d0, d1, d2) -> (d0, d1)>
#right = affine_map<(d0, d1, d2) -> (d0, d2)>
#result = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.for
// CHECK: return
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @others(%few: memref<64x4xf32>, %x: memref<4x1000xf32>, %wide: memref<1000x4xf64>, %y: memref<1000x4xf32>, %z: memref<1000x8xf32>, %product: memref<4x8xf32>, %sum: memref<4xf32>, %wideSum: memref<4xf64>) {
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]} ins(%few : memref<64x4xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]} ins(%wide : memref<1000x4xf64>) outs(%wideSum : memref<4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.addf %out, %in : f64
    linalg.yield %0 : f64
  }
  linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["reduction", "parallel", "parallel"]} ins(%y, %z : memref<1000x4xf32>, memref<1000x8xf32>) outs(%product : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %0 = arith.addf %out, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]} ins(%y : memref<1000x4xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}
