// Rows of kernels and estimates of their time follow the facts of the CPU.
// RUN: proa-opt %s --split-input-file --proa-choose-rows | FileCheck %s

#id = affine_map<(i) -> (i)>

// 128 elements of 80 ps, and 512 bytes at 20 GB/s.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: nanoseconds = 3.584000e+01 : f64, tiles = [4096]
func.func @dynamic(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
#id = affine_map<(i) -> (i)>
// Another size of the unknown dim.
// CHECK-LABEL: func.func @larger
// CHECK-SAME: nanoseconds = 7.168000e+01
module attributes {proa.target = #proa.target<cpu "avx2" {assumed_dim = 256}>} {
func.func @larger(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
}

// -----
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @slow_arithmetic
// CHECK-SAME: nanoseconds = 4.864000e+01
module attributes {proa.target = #proa.target<cpu "avx2" {arithmetic_cost = 130}>} {
func.func @slow_arithmetic(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
}

// -----
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @slow_access
// CHECK-SAME: nanoseconds = 4.864000e+01
module attributes {proa.target = #proa.target<cpu "avx2" {access_cost = 150}>} {
func.func @slow_access(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
}

// -----
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @slow_memory
// CHECK-SAME: nanoseconds = {{6.144|61.44}}
module attributes {proa.target = #proa.target<cpu "avx2" {memory_bandwidth = 10000}>} {
func.func @slow_memory(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
}

// -----
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @small_cache
// CHECK-SAME: tiles = [2048]
module attributes {proa.target = #proa.target<cpu "avx2" {l1_bytes = 16384}>} {
func.func @small_cache(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
}
