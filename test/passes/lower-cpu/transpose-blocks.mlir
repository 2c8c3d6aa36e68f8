// RUN: proa-opt %s --proa-transpose-blocks --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-set-target=cpu=avx512 --proa-transpose-blocks --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=WIDE

// Four squares of 8 x 8 for AVX2, one of 16 x 16 for AVX-512. The inner loop runs along the result.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: %[[X:.*]]: memref<64x48xf32>, %[[Y:.*]]: memref<48x64xf32>
// CHECK: scf.for %[[SOURCE:.*]] = %c0 to %c48 step %c16
// CHECK-NEXT: scf.for %[[TARGET:.*]] = %c0 to %c64 step %c16
// CHECK-NEXT: vector.load %[[X]][%[[TARGET]], %[[SOURCE]]] : memref<64x48xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-NEXT: vector.store %{{.*}}, %[[Y]][%[[SOURCE]], %[[TARGET]]] : memref<48x64xf32>, vector<8xf32>
// CHECK-NOT: linalg.generic
// WIDE-LABEL: func.func @copy
// WIDE-COUNT-16: vector.load {{.*}} vector<16xf32>
// WIDE-COUNT-64: vector.shuffle
// WIDE-COUNT-16: vector.store {{.*}} vector<16xf32>
// WIDE-NOT: vector
// WIDE: return
func.func @copy(%x: memref<64x48xf32>, %y: memref<48x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x48xf32>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// The last block of a copy begins at the element 40 - 16.
// CHECK: affine_map<(d0) -> (24, d0)>
// CHECK-LABEL: func.func @overlapping
// CHECK: scf.for %[[SOURCE:.*]] = %c0 to %c40 step %c16
// CHECK: affine.min #{{.*}}(%[[SOURCE]])
// CHECK-NOT: linalg.generic
func.func @overlapping(%x: memref<2x64x40xi32>, %y: memref<2x40x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<2x64x40xi32>) outs(%y : memref<2x40x64xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  }
  return
}

// -----

// An op that computes reads a buffer with the transposed block; the rests are computed as before.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[X:.*]]: memref<64x40xf32>, %[[B:.*]]: memref<40x64xf32>, %[[Y:.*]]: memref<40x64xf32>
// CHECK: %[[BLOCK:.*]] = memref.alloc() : memref<16x16xf32>
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c16
// CHECK: vector.store %{{.*}}, %[[BLOCK]][%c0, %c0]
// CHECK: linalg.generic {{.*}} ins(%[[BLOCK]], %{{.*}} : memref<16x16xf32>, memref<16x16xf32, strided<[64, 1], offset: ?>>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<64x8xf32, strided<[40, 1], offset: 32>>
// CHECK-NOT: linalg.generic
func.func @sum(%x: memref<64x40xf32>, %b: memref<40x64xf32>, %y: memref<40x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>,
                                   affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x40xf32>, memref<40x64xf32>) outs(%y : memref<40x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Dynamic dims: whole blocks, and two rests.
// CHECK: affine_map<()[s0] -> ((s0 floordiv 16) * 16)>
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.store
// CHECK-COUNT-2: linalg.generic
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
