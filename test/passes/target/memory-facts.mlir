// Choices on memory follow the facts of the module.
// RUN: proa-opt %s --split-input-file --proa-choose-slices --proa-choose-launch | FileCheck %s --check-prefix=PARTS
// RUN: proa-opt %s --split-input-file --proa-place-shared | FileCheck %s --check-prefix=SHARED

// Two blocks for each of 132 multiprocessors: 256 blocks, of at least 4096 terms each, share the row.
// PARTS-LABEL: func.func @sum
// PARTS-SAME: row_blocks = 256
func.func @sum(%x: memref<1048576xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.loops = #proa.loops<starts = [0.0 : f32]>} ins(%x : memref<1048576xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----
// PARTS-LABEL: func.func @sum_on_four
// PARTS-SAME: row_blocks = 8
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {multiprocessors = 4}>} {
func.func @sum_on_four(%x: memref<1048576xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.loops = #proa.loops<starts = [0.0 : f32]>} ins(%x : memref<1048576xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}
}

// -----
// A row of an unknown number of terms counts as one of `assumed_dim`, which is too few for two blocks.
// PARTS-LABEL: func.func @dynamic
// PARTS-NOT: row_blocks
// PARTS: return
func.func @dynamic(%x: memref<?xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.loops = #proa.loops<starts = [0.0 : f32]>} ins(%x : memref<?xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----
// PARTS-LABEL: func.func @dynamic_and_long
// PARTS-SAME: row_blocks = 16
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {assumed_dim = 65536}>} {
func.func @dynamic_and_long(%x: memref<?xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.loops = #proa.loops<starts = [0.0 : f32]>} ins(%x : memref<?xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}
}

// -----
// 40,000 bytes are static shared memory.
// SHARED-LABEL: func.func @buffer
// SHARED-NOT: shared_bytes
// SHARED: return
func.func @buffer(%i: index, %v: f32) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<10000xf32>
  memref.store %v, %a[%i] : memref<10000xf32>
  return
}

// -----
// SHARED-LABEL: func.func @dynamic_buffer
// SHARED-SAME: shared_bytes = 40000
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {static_shared_bytes = 16384}>} {
func.func @dynamic_buffer(%i: index, %v: f32) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<10000xf32>
  memref.store %v, %a[%i] : memref<10000xf32>
  return
}
}

// -----
// SHARED-LABEL: func.func @global_buffer
// SHARED-SAME: proa.scratch = #proa.scratch<buffers = {{\[\[}}1, 40000]]>
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {shared_bytes = 32768}>} {
func.func @global_buffer(%i: index, %v: f32) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<10000xf32>
  memref.store %v, %a[%i] : memref<10000xf32>
  return
}
}
