// RUN: proa-opt %s --proa-split-short-loops --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-set-target=cpu=avx512 --proa-split-short-loops --canonicalize --split-input-file | FileCheck %s --check-prefix=MASKS

// Nine iterations: LLVM would compute the second vector with a mask. The loop over rows stays a loop.
// CHECK-LABEL: func.func @short
// CHECK: scf.for
// CHECK-COUNT-9: memref.store
// CHECK-NOT: scf.for
// CHECK-NOT: memref.store
// MASKS-LABEL: func.func @short
// MASKS: scf.for %{{.*}} = %c0 to %c32 step %c1
// MASKS-NEXT: scf.for %{{.*}} = %c0 to %c9 step %c1
func.func @short(%x: memref<32x9xf32>, %y: memref<32x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c9 step %c1 {
      %a = memref.load %x[%i, %j] : memref<32x9xf32>
      %b = arith.addf %a, %a : f32
      memref.store %b, %y[%i, %j] : memref<32x9xf32>
    }
  }
  return
}

// -----

// Whole vectors stay as they are: vectors of 8 float32, of 4 float64, and half a vector.
// CHECK-LABEL: func.func @whole_vectors
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
func.func @whole_vectors(%x: memref<16xf32>, %y: memref<12xf64>, %z: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  scf.for %j = %c0 to %c16 step %c1 {
    %a = memref.load %x[%j] : memref<16xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%j] : memref<16xf32>
  }
  scf.for %j = %c0 to %c12 step %c1 {
    %a = memref.load %y[%j] : memref<12xf64>
    %b = arith.addf %a, %a : f64
    memref.store %b, %y[%j] : memref<12xf64>
  }
  scf.for %j = %c0 to %c4 step %c1 {
    %a = memref.load %z[%j] : memref<4xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %z[%j] : memref<4xf32>
  }
  return
}

// -----

// 31 = 24 + 4 + 2 + 1.
// CHECK-LABEL: func.func @pieces
// CHECK: scf.for %{{.*}} = %c0 to %c24 step %c1
// CHECK: scf.for %{{.*}} = %c24 to %c28 step %c1
// CHECK: scf.for %{{.*}} = %c28 to %c30 step %c1
// CHECK-NOT: scf.for
// CHECK: memref.load %{{.*}}[%c30]
// CHECK: return
func.func @pieces(%x: memref<31xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  scf.for %j = %c0 to %c31 step %c1 {
    %a = memref.load %x[%j] : memref<31xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%j] : memref<31xf32>
  }
  return
}

// -----

// Carried values go from piece to piece. 17 iterations from 3 in steps of 2: 16 + 1.
// CHECK-LABEL: func.func @carried
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c3 to %c35 step %c2 iter_args(%{{.*}} = %cst)
// CHECK: %[[LAST:.*]] = memref.load %{{.*}}[%c35]
// CHECK: %[[ALL:.*]] = arith.addf %[[SUM]], %[[LAST]]
// CHECK: return %[[ALL]]
func.func @carried(%x: memref<64xf32>) -> f32 {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c36 = arith.constant 36 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %j = %c3 to %c36 step %c2 iter_args(%s = %zero) -> f32 {
    %a = memref.load %x[%j] : memref<64xf32>
    %b = arith.addf %s, %a : f32
    scf.yield %b : f32
  }
  return %sum : f32
}

// -----

// A long sum, a long row, a dynamic row, vectors and elements of a column are not split.
// CHECK-LABEL: func.func @not_split
// CHECK: scf.for %{{.*}} = %c0 to %c49 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c257 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c31 step %c1
// CHECK-NOT: scf.for
func.func @not_split(%x: memref<257xf32>, %sum: memref<1xf32>, %n: index, %column: memref<31x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c31 = arith.constant 31 : index
  %c49 = arith.constant 49 : index
  %c257 = arith.constant 257 : index
  scf.for %j = %c0 to %c49 step %c1 {
    %a = memref.load %x[%j] : memref<257xf32>
    %s = memref.load %sum[%c0] : memref<1xf32>
    %b = arith.addf %a, %s : f32
    memref.store %b, %sum[%c0] : memref<1xf32>
  }
  scf.for %j = %c0 to %c257 step %c1 {
    %a = memref.load %x[%j] : memref<257xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%j] : memref<257xf32>
  }
  scf.for %j = %c0 to %n step %c1 {
    %a = memref.load %x[%j] : memref<257xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%j] : memref<257xf32>
  }
  scf.for %j = %c0 to %c9 step %c1 {
    %a = vector.load %x[%j] : memref<257xf32>, vector<8xf32>
    vector.store %a, %x[%c0] : memref<257xf32>, vector<8xf32>
  }
  scf.for %j = %c0 to %c31 step %c1 {
    %a = memref.load %column[%j, %c1] : memref<31x4xf32>
    memref.store %a, %x[%j] : memref<257xf32>
  }
  return
}

// -----

// Functions of all elements in straight-line code would be long: nine are computed in pieces.
// CHECK-LABEL: func.func @functions
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK-NOT: scf.for
// CHECK: math.exp
// CHECK: return
func.func @functions(%x: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %j = %c0 to %c9 step %c1 {
    %a = memref.load %x[%j] : memref<9xf32>
    %b = math.exp %a : f32
    %c = math.tanh %b : f32
    %d = math.sin %c : f32
    %e = math.log %d : f32
    memref.store %e, %x[%j] : memref<9xf32>
  }
  return
}

// -----

// Inner loops first: the loop around the unrolled one has nine iterations too.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.for
// CHECK-COUNT-27: memref.store
func.func @nested(%x: memref<9x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %a = memref.load %x[%i, %j] : memref<9x3xf32>
      %b = arith.addf %a, %a : f32
      memref.store %b, %x[%i, %j] : memref<9x3xf32>
    }
  }
  return
}
