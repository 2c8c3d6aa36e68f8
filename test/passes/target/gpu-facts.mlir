// Choices of the lowering for GPUs follow the facts of the module. Each pair of functions differs in one fact.
// RUN: proa-opt %s --split-input-file --proa-choose-contraction | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Few multiprocessors need no split of k, many do.
// CHECK-LABEL: func.func @few_multiprocessors
// CHECK-NOT: split_k
// CHECK: return
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {multiprocessors = 2}>} {
func.func @few_multiprocessors(%x: tensor<256x16384xbf16>, %y: tensor<16384x256xbf16>) -> tensor<256x256xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x16384xbf16>, tensor<16384x256xbf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}
}
// -----
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @many_multiprocessors
// CHECK: split_k = 8>
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {multiprocessors = 132}>} {
func.func @many_multiprocessors(%x: tensor<256x16384xbf16>, %y: tensor<16384x256xbf16>) -> tensor<256x256xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x16384xbf16>, tensor<16384x256xbf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}
}
// -----
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// A chip without wgmma uses mma.sync.
// CHECK-LABEL: func.func @no_wgmma
// CHECK: proa.contraction = #proa.contraction<kind = mma
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {wgmma_rate = 0}>} {
func.func @no_wgmma(%x: tensor<256x16384xbf16>, %y: tensor<16384x256xbf16>) -> tensor<256x256xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x16384xbf16>, tensor<16384x256xbf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}
}
// -----
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// A slow wgmma too.
// CHECK-LABEL: func.func @slow_wgmma
// CHECK: proa.contraction = #proa.contraction<kind = mma
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {wgmma_rate = 64}>} {
func.func @slow_wgmma(%x: tensor<256x16384xbf16>, %y: tensor<16384x256xbf16>) -> tensor<256x256xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x16384xbf16>, tensor<16384x256xbf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}
}
// -----
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Tiles that start slowly are not split.
// CHECK-LABEL: func.func @slow_start
// CHECK-NOT: split_k
// CHECK: return
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {tile_start_clocks = 10000000}>} {
func.func @slow_start(%x: tensor<256x16384xbf16>, %y: tensor<16384x256xbf16>) -> tensor<256x256xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x16384xbf16>, tensor<16384x256xbf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}
}
// -----
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// The stages fit into the shared memory.
// CHECK-LABEL: func.func @little_memory
// CHECK: proa.contraction = #proa.contraction<kind = mma{{.*}} stages = 3
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {wgmma_rate = 0, shared_bytes = 40000}>} {
func.func @little_memory(%x: tensor<256x16384xbf16>, %y: tensor<16384x256xbf16>) -> tensor<256x256xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x16384xbf16>, tensor<16384x256xbf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}
}
