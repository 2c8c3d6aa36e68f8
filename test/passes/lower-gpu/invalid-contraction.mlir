// RUN: proa-opt %s "--pass-pipeline=builtin.module(func.func(proa-choose-slices,proa-choose-launch))" --verify-diagnostics --split-input-file

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+3 {{found 'simd', expected fma, mma or wgmma}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = simd, tile = [32, 32, 32], warp = [4, 4]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+1 {{'proa.contraction' needs `kind`, `warp`, and a `tile` of 3 sizes (--proa-choose-contraction)}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32], warp = [4, 4]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf64>, %y: memref<64x64xf64>, %r: memref<64x64xf64>) attributes {proa.kernel} {
  // expected-error@+1 {{'mma' needs operands of f16, bf16 or f32 and an f32 result, or of i8 and an i32 result}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf64>, memref<64x64xf64>) outs(%r : memref<64x64xf64>)
      attrs = {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 32], warp = [16, 16]>} {
  ^bb0(%a: f64, %b: f64, %s: f64):
    %q = arith.mulf %a, %b : f64
    %t = arith.addf %s, %q : f64
    linalg.yield %t : f64
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+3 {{C2: `warp` is [4, 3], expected with fma multiples of 4 and 4}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 32], warp = [4, 3]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+1 {{the tile is 32, 32, 8, expected multiples of `warp` and of 16}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 8], warp = [4, 4]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+3 {{C3: `stages` is 9, expected 1 to 8}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 32], warp = [4, 4], stages = 9>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+1 {{a block has 4096 threads, expected a multiple of 32 up to 1024}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [256, 256, 32], warp = [4, 4]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %r: memref<64x64xf32>) attributes {proa.kernel} {
  // expected-error@+1 {{the tile is 64, 64, 32 with 2 stages, expected with 'wgmma' up to 256 rows, 64, 128, 192 or 256 columns, all of them in `warp`, 64 for k, and 2 stages or more}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xbf16>, memref<64x64xbf16>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 64, 32], warp = [64, 64], stages = 2>} {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

func.func @wrong(%x: memref<64x64xi8>, %y: memref<64x64xi8>, %r: memref<64x64xi32>) attributes {proa.kernel} {
  // expected-error@+1 {{the tile is 32, 32, 16, expected multiples of `warp` and of 32}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xi8>, memref<64x64xi8>) outs(%r : memref<64x64xi32>)
      attrs = {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 16], warp = [16, 16]>} {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %c = arith.extsi %a : i8 to i32
    %d = arith.extui %b : i8 to i32
    %q = arith.muli %c, %d : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Two contractions of a kernel that are divided in different ways.
func.func @different(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>, %begin: index, %end: index)
    attributes {proa.kernel} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<split_k = 2>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  // expected-error@+1 {{`split_k` is 4, expected 2 as in another contraction of the kernel}}
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<split_k = 4>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}
