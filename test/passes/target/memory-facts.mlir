// Choices on memory follow the facts of the module.
// RUN: proa-opt %s --split-input-file --proa-choose-parts --proa-choose-launch | FileCheck %s --check-prefix=PARTS
// RUN: proa-opt %s --split-input-file --proa-place-shared | FileCheck %s --check-prefix=SHARED

// Two blocks for each of 132 multiprocessors: 256 blocks, of at least 4096 terms each, share the row.
// PARTS-LABEL: func.func @sum
// PARTS-SAME: proa.parts = 256
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
// PARTS-LABEL: func.func @sum_on_four
// PARTS-SAME: proa.parts = 8
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {multiprocessors = 4}>} {
func.func @sum_on_four(%x: memref<1048576xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = 1 : i64} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.starts_filled = [0.0 : f32]} ins(%x : memref<1048576xf32>) outs(%r : memref<f32>) {
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
// PARTS-NOT: proa.parts
// PARTS: return
func.func @dynamic(%x: memref<?xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = 1 : i64} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.starts_filled = [0.0 : f32]} ins(%x : memref<?xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----
// PARTS-LABEL: func.func @dynamic_and_long
// PARTS-SAME: proa.parts = 16
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {assumed_dim = 65536}>} {
func.func @dynamic_and_long(%x: memref<?xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = 1 : i64} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.starts_filled = [0.0 : f32]} ins(%x : memref<?xf32>) outs(%r : memref<f32>) {
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
// SHARED-NOT: proa.shared
// SHARED: return
func.func @buffer(%i: index, %v: f32) attributes {proa.kernel, proa.threads = 32 : i64} {
  %a = memref.alloc() : memref<10000xf32>
  memref.store %v, %a[%i] : memref<10000xf32>
  return
}

// -----
// SHARED-LABEL: func.func @dynamic_buffer
// SHARED-SAME: proa.shared = 40000
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {static_shared_bytes = 16384}>} {
func.func @dynamic_buffer(%i: index, %v: f32) attributes {proa.kernel, proa.threads = 32 : i64} {
  %a = memref.alloc() : memref<10000xf32>
  memref.store %v, %a[%i] : memref<10000xf32>
  return
}
}

// -----
// SHARED-LABEL: func.func @global_buffer
// SHARED-SAME: proa.scratch = [array<i64: 1, 40000>]
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {shared_bytes = 32768}>} {
func.func @global_buffer(%i: index, %v: f32) attributes {proa.kernel, proa.threads = 32 : i64} {
  %a = memref.alloc() : memref<10000xf32>
  memref.store %v, %a[%i] : memref<10000xf32>
  return
}
}
