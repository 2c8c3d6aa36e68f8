// RUN: proa-opt %s --proa-map-to-threads --canonicalize --cse --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// The rows of a block, and two chunks of four elements with a rest of two.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: %[[BEGIN:arg[0-9]+]]: index, %[[END:arg[0-9]+]]: index)
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[BLOCKS:.*]] = gpu.grid_dim x
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEGIN]], %[[BLOCK]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %[[BLOCKS]] {
// CHECK: scf.for %[[CHUNK:.*]] = %[[THREAD]] to %c2 step %c32 {
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-4: memref.store
// CHECK: }
// CHECK: %[[REST:.*]] = affine.apply #{{.*}}()[%[[THREAD]]]
// CHECK: scf.for %[[I:.*]] = %[[REST]] to %c10 step %c32 {
// CHECK: memref.load %{{.*}}[%[[I]]]
// CHECK: memref.store %{{.*}}[%[[I]]]
func.func @elementwise(%a: memref<10xf32>, %r: memref<10xf32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %c1 = arith.constant 1 : index
  scf.for %row = %begin to %end step %c1 {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<10xf32>)
        outs(%r : memref<10xf32>) attrs = {proa.loops = #proa.loops<vector = 4>} {
    ^bb0(%x: f32, %y: f32):
      %z = arith.negf %x : f32
      linalg.yield %z : f32
    }
  }
  return
}

// -----

// A thread computes a whole sum; the loops over terms are nested, and nothing is exchanged.
// CHECK-LABEL: func.func @by_thread
// CHECK-NOT: gpu.shuffle
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %c64 step %c32 {
// CHECK: %[[J:.*]] = affine.apply #{{.*}}(%[[FIRST]])[%thread_id_x]
// CHECK: %[[TERMS:.*]] = scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args(%{{.*}} = %{{.*}})
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: %[[START:.*]] = memref.load %{{.*}}[%[[J]]]
// CHECK: %[[SUM:.*]] = arith.addf %[[START]], %[[TERMS]]
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[J]]]
func.func @by_thread(%a: memref<8x64xf32>, %r: memref<64xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x64xf32>) outs(%r : memref<64xf32>)
      attrs = {proa.loops = #proa.loops<group = 1>} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// Eight lanes for a result: three shuffles; all threads take part, also those without a result.
// CHECK-LABEL: func.func @by_lanes
// CHECK: %[[LANE:.*]] = affine.apply #{{.*}}()[%thread_id_x]
// CHECK: scf.for %[[BASE:.*]] = %c0 to %c6 step %c4 {
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: %[[PART:.*]] = scf.if %[[INSIDE]] -> (f32) {
// CHECK: scf.for %{{.*}} = %[[LANE]] to %c20 step %c8 iter_args(%{{.*}} = %cst)
// CHECK: } else {
// CHECK: scf.yield %cst : f32
// CHECK: gpu.shuffle xor %[[PART]], %c4_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : f32
// CHECK: scf.if
// CHECK: memref.store
func.func @by_lanes(%a: memref<6x20xf32>, %r: memref<6xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]} ins(%a : memref<6x20xf32>) outs(%r : memref<6xf32>)
      attrs = {proa.loops = #proa.loops<group = 8>} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// The block computes one result: shuffles in each warp, then the partial results of two warps from scratch memory.
// The sum starts with a constant.
// CHECK-LABEL: func.func @by_block
// CHECK-DAG: %[[EXCHANGE:.*]] = memref.alloc() : memref<2xi64>
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : i64
// CHECK: scf.for %{{.*}} = %thread_id_x to %c50 step %c64 iter_args
// CHECK-COUNT-2: memref.load %arg0
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[EXCHANGE]]
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.load %[[EXCHANGE]][%c0]
// CHECK: arith.addi %{{.*}}, %[[SEVEN]]
// CHECK: memref.load %[[EXCHANGE]][%c1]
// CHECK: memref.store %{{.*}}, %arg1[]
// CHECK: gpu.barrier
func.func @by_block(%a: memref<100xi64>, %r: memref<i64>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<100xi64>) outs(%r : memref<i64>)
      attrs = {proa.loops = #proa.loops<vector = 2, group = 64, starts = [7]>} {
  ^bb0(%x: i64, %y: i64):
    %z = arith.addi %y, %x : i64
    linalg.yield %z : i64
  }
  return
}

// -----

// Lanes exchange 32 bits.
// CHECK-LABEL: func.func @bytes
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: gpu.shuffle xor %{{.*}} : i32
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @bytes(%a: memref<4xi8>, %r: memref<i8>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<4xi8>) outs(%r : memref<i8>) attrs = {proa.loops = #proa.loops<group = 4>} {
  ^bb0(%x: i8, %y: i8):
    %z = arith.ori %y, %x : i8
    linalg.yield %z : i8
  }
  return
}

// -----

// One thread does a store outside of loops; linalg.index is the index of the element.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %thread_id_x, %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: memref.store %arg1
// CHECK: scf.for %[[I:.*]] = %thread_id_x
// CHECK: memref.store %[[I]], %arg2[%[[I]]]
func.func @scalars(%a: memref<f32>, %v: f32, %r: memref<4xindex>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  memref.store %v, %a[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%r : memref<4xindex>) {
  ^bb0(%y: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  }
  return
}
