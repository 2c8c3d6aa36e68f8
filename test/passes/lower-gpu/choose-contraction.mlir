// RUN: proa-opt %s --proa-choose-contraction --remarks=proa-choose-contraction --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: proa-opt %s --proa-set-target=gpu=sm_80 --proa-choose-contraction --split-input-file | FileCheck %s --check-prefix=SM80
// RUN: proa-opt %s --proa-choose-contraction=strategy=fma --split-input-file | FileCheck %s --check-prefix=FMA

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Tensor cores for bf16 with an f32 sum, the largest tiles for a large product, and the epilogue. Each block computes
// several tiles.
// CHECK-LABEL: func.func @tensor_cores
// CHECK-SAME: proa.launch = #proa.launch<resident_blocks = 1>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [128, 256, 64], warp = [64, 256], stages = 3>}
// CHECK: linalg.generic {{.*}}attrs = {proa.loops = #proa.loops<fused_with = result>}
// REMARK: a block computes tiles of 128x256 elements with 288 threads (wgmma, 3 stages), and its epilogue in registers
// SM80-LABEL: func.func @tensor_cores
// SM80: attrs = {proa.contraction = #proa.contraction<kind = mma, tile = [128, 128, 32], warp = [64, 32], stages = 4>}
// FMA-LABEL: func.func @tensor_cores
// FMA: proa.contraction = #proa.contraction<kind = fma
func.func @tensor_cores(%x: tensor<2048x512xbf16>, %y: tensor<512x2048xbf16>) -> tensor<2048x2048xbf16> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2048x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2048x512xbf16>, tensor<512x2048xbf16>) outs(%init : tensor<2048x2048xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<2048x2048xf32>
  %out = tensor.empty() : tensor<2048x2048xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<2048x2048xf32>) outs(%out : tensor<2048x2048xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %c = arith.truncf %a : f32 to bf16
    linalg.yield %c : bf16
  } -> tensor<2048x2048xbf16>
  return %r : tensor<2048x2048xbf16>
}

// -----

#x = affine_map<(b, m, n, k) -> (b, k, m)>
#y = affine_map<(b, m, n, k) -> (k, n)>
#r = affine_map<(b, m, n, k) -> (b, m, n)>
#swap = affine_map<(b, m, n) -> (b, n, m)>
#id = affine_map<(b, m, n) -> (b, m, n)>

// Few blocks: small tiles. Dims of a batch have one element. Near miss: a reader of the transposed result is not an
// epilogue.
// CHECK-LABEL: func.func @small
// CHECK: attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [1, 32, 32, 32], warp = [4, 4]>}
// CHECK-NOT: proa.loops = #proa.loops<fused_with = result>
func.func @small(%x: tensor<2x16x64xf32>, %y: tensor<16x64xf32>) -> tensor<2x64x64xf32> attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x16x64xf32>, tensor<16x64xf32>) outs(%init : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<2x64x64xf32>
  %r = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x64x64xf32>) outs(%empty : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<2x64x64xf32>
  return %r : tensor<2x64x64xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Near miss: the tensor memory accelerator cannot read rows of 66 bytes.
// CHECK-LABEL: func.func @unaligned
// CHECK: proa.contraction = #proa.contraction<kind = mma
// REMARK: wgmma cannot read operand 1: its rows are not a multiple of 16 bytes
func.func @unaligned(%x: tensor<2048x512xbf16>, %y: tensor<512x33xbf16>, %init: tensor<2048x33xf32>) -> tensor<2048x33xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2048x512xbf16>, tensor<512x33xbf16>) outs(%init : tensor<2048x33xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<2048x33xf32>
  return %p : tensor<2048x33xf32>
}

// Near miss: nor what the kernel computes itself.
// CHECK-LABEL: func.func @computed
// CHECK: proa.contraction = #proa.contraction<kind = mma
// REMARK: wgmma cannot read operand 0: the kernel computes it
func.func @computed(%x: tensor<2048x512xbf16>, %y: tensor<512x64xbf16>, %init: tensor<2048x64xf32>) -> tensor<2048x64xf32>
    attributes {proa.kernel} {
  %empty = tensor.empty() : tensor<2048x512xbf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2048x512xbf16>) outs(%empty : tensor<2048x512xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.negf %a : bf16
    linalg.yield %c : bf16
  } -> tensor<2048x512xbf16>
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%n, %y : tensor<2048x512xbf16>, tensor<512x64xbf16>) outs(%init : tensor<2048x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<2048x64xf32>
  return %p : tensor<2048x64xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Attributes of a person or a tuner stay.
// CHECK-LABEL: func.func @kept
// CHECK: attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [64, 32, 16], warp = [8, 4]>}
func.func @kept(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>, %init: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [64, 32, 16], warp = [8, 4]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<512x512xf32>
  return %p : tensor<512x512xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Fields that are set stay, and the others are chosen: 16 blocks divide k, which few tiles alone would not need.
// CHECK-LABEL: func.func @completed
// CHECK: proa.contraction = #proa.contraction<kind = mma, tile = [{{.*}}], warp = [{{.*}}], stages = 2, split_k = 16>
// FMA-LABEL: func.func @completed
// FMA: proa.contraction = #proa.contraction<kind = mma
func.func @completed(%x: tensor<512x512xbf16>, %y: tensor<512x512xbf16>, %init: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<512x512xbf16>, tensor<512x512xbf16>) outs(%init : tensor<512x512xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = mma, stages = 2, split_k = 16>} {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<512x512xf32>
  return %p : tensor<512x512xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Near miss: the sum of other terms than products.
// CHECK-LABEL: func.func @distances
// CHECK-NOT: proa.contraction
func.func @distances(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %init: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// -----

#x = affine_map<(n, k) -> (k)>
#y = affine_map<(n, k) -> (k, n)>
#r = affine_map<(n, k) -> (n)>

// Near miss: the product of a row and a matrix is an ordinary reduction.
// CHECK-LABEL: func.func @row
// CHECK-NOT: proa.contraction
func.func @row(%x: tensor<64xf32>, %y: tensor<64x64xf32>, %init: tensor<64xf32>) -> tensor<64xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<64xf32>, tensor<64x64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  return %p : tensor<64xf32>
}

// -----

#x = affine_map<(m, n, k) -> (k, m)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Few tiles and a long sum, as in the gradient of a weight: blocks divide k among them.
// CHECK-LABEL: func.func @few_tiles
// CHECK: proa.contraction = #proa.contraction<kind = wgmma, {{.*}}, split_k = {{[2-9]|1[0-6]}}>
// SM80-LABEL: func.func @few_tiles
// SM80-NOT: split_k
func.func @few_tiles(%x: tensor<16384x768xbf16>, %y: tensor<16384x768xbf16>, %init: tensor<768x768xf32>) -> tensor<768x768xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<16384x768xbf16>, tensor<16384x768xbf16>) outs(%init : tensor<768x768xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<768x768xf32>
  return %p : tensor<768x768xf32>
}

// Near miss: parts of a short sum would have less than four steps.
// CHECK-LABEL: func.func @short_sum
// CHECK-NOT: split_k
// CHECK: return
func.func @short_sum(%x: tensor<448x768xbf16>, %y: tensor<448x768xbf16>, %init: tensor<768x768xf32>) -> tensor<768x768xf32>
    attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<448x768xbf16>, tensor<448x768xbf16>) outs(%init : tensor<768x768xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<768x768xf32>
  return %p : tensor<768x768xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#t = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// Tensor cores for f32 where the kernel allows TF32; wgmma only with both operands adjacent along k.
// CHECK-LABEL: func.func @tf32
// CHECK: proa.contraction = #proa.contraction<kind = mma
// REMARK: wgmma cannot read operand 1: elements of other than 16 bits must be adjacent along k
// CHECK: proa.contraction = #proa.contraction<kind = wgmma, tile = [{{[0-9]+}}, {{[0-9]+}}, 32]
// SM80-LABEL: func.func @tf32
// SM80-COUNT-2: proa.contraction = #proa.contraction<kind = mma
func.func @tf32(%x: tensor<2048x512xf32>, %y: tensor<512x2048xf32>, %init: tensor<2048x2048xf32>)
    -> (tensor<2048x2048xf32>, tensor<2048x2048xf32>) attributes {proa.kernel, proa.tf32} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2048x512xf32>, tensor<512x2048xf32>) outs(%init : tensor<2048x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<2048x2048xf32>
  %v = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<2048x512xf32>, tensor<2048x512xf32>) outs(%init : tensor<2048x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<2048x2048xf32>
  return %p, %v : tensor<2048x2048xf32>, tensor<2048x2048xf32>
}

// Near miss: a kernel that does not.
// CHECK-LABEL: func.func @float32
// CHECK: proa.contraction = #proa.contraction<kind = fma
func.func @float32(%x: tensor<2048x512xf32>, %y: tensor<512x2048xf32>, %init: tensor<2048x2048xf32>)
    -> tensor<2048x2048xf32> attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2048x512xf32>, tensor<512x2048xf32>) outs(%init : tensor<2048x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<2048x2048xf32>
  return %p : tensor<2048x2048xf32>
}


// -----

#x = affine_map<(m, n, k) -> (m, k)>
#t = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// Tensor cores for i8 with a sum of i32, signed or not. A part of k is as many bytes as of 16-bit elements.
// CHECK-LABEL: func.func @int8
// CHECK: proa.contraction = #proa.contraction<kind = wgmma, tile = [{{[0-9]+}}, {{[0-9]+}}, 128]
// SM80-LABEL: func.func @int8
// SM80: proa.contraction = #proa.contraction<kind = mma, tile = [{{[0-9]+}}, {{[0-9]+}}, 64]
func.func @int8(%x: tensor<2048x512xi8>, %y: tensor<2048x512xi8>, %init: tensor<2048x2048xi32>)
    -> tensor<2048x2048xi32> attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2048x512xi8>, tensor<2048x512xi8>) outs(%init : tensor<2048x2048xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %c = arith.extsi %a : i8 to i32
    %d = arith.extui %b : i8 to i32
    %q = arith.muli %c, %d : i32
    %u = arith.addi %s, %q : i32
    linalg.yield %u : i32
  } -> tensor<2048x2048xi32>
  return %p : tensor<2048x2048xi32>
}

// Near misses: elements that are extended twice, and sums of 64 bits.
// CHECK-LABEL: func.func @int16
// CHECK: proa.contraction = #proa.contraction<kind = fma
// CHECK: proa.contraction = #proa.contraction<kind = fma
func.func @int16(%x: tensor<2048x512xi8>, %init: tensor<2048x2048xi32>, %wide: tensor<2048x2048xi64>)
    -> (tensor<2048x2048xi32>, tensor<2048x2048xi64>) attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<2048x512xi8>, tensor<2048x512xi8>) outs(%init : tensor<2048x2048xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %c = arith.extui %a : i8 to i16
    %d = arith.extsi %c : i16 to i32
    %e = arith.extsi %b : i8 to i32
    %q = arith.muli %d, %e : i32
    %u = arith.addi %s, %q : i32
    linalg.yield %u : i32
  } -> tensor<2048x2048xi32>
  %v = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<2048x512xi8>, tensor<2048x512xi8>) outs(%wide : tensor<2048x2048xi64>) {
  ^bb0(%a: i8, %b: i8, %s: i64):
    %c = arith.extsi %a : i8 to i64
    %d = arith.extsi %b : i8 to i64
    %q = arith.muli %c, %d : i64
    %u = arith.addi %s, %q : i64
    linalg.yield %u : i64
  } -> tensor<2048x2048xi64>
  return %p, %v : tensor<2048x2048xi32>, tensor<2048x2048xi64>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#t = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// 8-bit floats of two formats, which are stored as bytes. Tiles of wgmma have at most 128 columns: the sums of a part
// need registers of their own.
// CHECK-LABEL: func.func @float8
// CHECK: proa.contraction = #proa.contraction<kind = wgmma, tile = [128, 128, 128]
// SM80-LABEL: func.func @float8
// SM80: proa.contraction = #proa.contraction<kind = mma, tile = [{{[0-9]+}}, {{[0-9]+}}, 64]
func.func @float8(%x: tensor<4096x4096xi8>, %y: tensor<4096x4096xi8>, %init: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4096x4096xi8>, tensor<4096x4096xi8>) outs(%init : tensor<4096x4096xf32>) {
  ^bb0(%a: i8, %b: i8, %s: f32):
    %a8 = arith.bitcast %a : i8 to f8E4M3FN
    %b8 = arith.bitcast %b : i8 to f8E5M2
    %c = arith.extf %a8 : f8E4M3FN to f32
    %d = arith.extf %b8 : f8E5M2 to f32
    %q = arith.mulf %c, %d : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<4096x4096xf32>
  return %p : tensor<4096x4096xf32>
}

// Near misses: an 8-bit float with a float of 16 bits, and integers as floats.
// CHECK-LABEL: func.func @other_bytes
// CHECK: proa.contraction = #proa.contraction<kind = fma
// CHECK: proa.contraction = #proa.contraction<kind = fma
func.func @other_bytes(%x: tensor<512x512xi8>, %y: tensor<512x512xf16>, %init: tensor<512x512xf32>)
    -> (tensor<512x512xf32>, tensor<512x512xf32>) attributes {proa.kernel} {
  %p = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<512x512xi8>, tensor<512x512xf16>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%a: i8, %b: f16, %s: f32):
    %a8 = arith.bitcast %a : i8 to f8E4M3FN
    %c = arith.extf %a8 : f8E4M3FN to f32
    %d = arith.extf %b : f16 to f32
    %q = arith.mulf %c, %d : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<512x512xf32>
  %v = linalg.generic {indexing_maps = [#x, #t, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<512x512xi8>, tensor<512x512xi8>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%a: i8, %b: i8, %s: f32):
    %c = arith.sitofp %a : i8 to f32
    %d = arith.sitofp %b : i8 to f32
    %q = arith.mulf %c, %d : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<512x512xf32>
  return %p, %v : tensor<512x512xf32>, tensor<512x512xf32>
}
