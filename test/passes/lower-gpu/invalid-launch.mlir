// RUN: proa-opt %s --proa-map-to-threads --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-place-barriers --split-input-file --verify-diagnostics

// expected-error@+1 {{'proa.threads' is 48 : i64, expected an i64 that is a multiple of 32 from 32 to 1024}}
func.func @threads(%r: memref<4xf32>) attributes {proa.kernel, proa.threads = 48 : i64} {
  return
}

// -----

func.func @vector(%v: f32, %r: memref<4x6xf32>) attributes {proa.kernel, proa.threads = 32 : i64} {
  // expected-error@+1 {{'proa.vector' is 4, which does not divide the innermost of several loops}}
  linalg.fill {proa.vector = 4 : i64} ins(%v : f32) outs(%r : memref<4x6xf32>)
  // expected-error@+1 {{'proa.vector' is 0, expected 1 to 16, and 1 without loops}}
  linalg.fill {proa.vector = 0 : i64} ins(%v : f32) outs(%r : memref<4x6xf32>)
  return
}

// -----

func.func @reduced(%a: memref<8x64xf32>, %r: memref<64xf32>) attributes {proa.kernel, proa.threads = 32 : i64} {
  // expected-error@+1 {{'proa.vector' is 4, expected 1 for a reduction that threads cannot compute together, and whose innermost loop is not reduced}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x64xf32>) outs(%r : memref<64xf32>)
      attrs = {proa.vector = 4 : i64} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.subf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

func.func @group(%a: memref<64xf32>, %r: memref<f32>) attributes {proa.kernel, proa.threads = 64 : i64} {
  // expected-error@+1 {{'proa.group' is 48, expected a power of two up to 32, or the number of threads of a block, 64}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%r : memref<f32>) attrs = {proa.group = 48 : i64} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  // expected-error@+1 {{'proa.group' is 8, expected 1 for an op that threads cannot compute together}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%r : memref<f32>) attrs = {proa.group = 8 : i64} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.subf %y, %x : f32
    linalg.yield %z : f32
  }
  // expected-error@+1 {{'proa.starts_filled' does not fit, expected a constant of the element type, or unit, for each result of a reduction}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%r : memref<f32>) attrs = {proa.starts_filled = [0.0 : f64]} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

func.func @tensors(%a: tensor<4xf32>, %v: f32) -> tensor<4xf32> attributes {proa.kernel, proa.threads = 32 : i64} {
  // expected-error@+1 {{the op is on tensors, expected memory (--proa-bufferize-kernels)}}
  %r = linalg.fill ins(%v : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
