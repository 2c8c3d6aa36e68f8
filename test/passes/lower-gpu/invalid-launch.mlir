// RUN: proa-opt %s --proa-map-to-threads --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-place-barriers --split-input-file --verify-diagnostics

// expected-error@+1 {{a block has 48 threads, expected a multiple of 32}}
func.func @threads(%r: memref<4xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 48>} {
  return
}

// -----

func.func @vector(%v: f32, %r: memref<4x6xf32>, %s: memref<f32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error@+1 {{`vector` is 4, which does not divide the innermost of several loops}}
  linalg.fill {proa.loops = #proa.loops<vector = 4>} ins(%v : f32) outs(%r : memref<4x6xf32>)
  // expected-error@+1 {{`vector` is 4, expected 1 without loops}}
  linalg.fill {proa.loops = #proa.loops<vector = 4>} ins(%v : f32) outs(%s : memref<f32>)
  return
}

// -----

func.func @reduced(%a: memref<8x64xf32>, %r: memref<64xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error@+1 {{`vector` is 4, expected 1 for a reduction that threads cannot compute together, and whose innermost loop is not reduced}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x64xf32>) outs(%r : memref<64xf32>)
      attrs = {proa.loops = #proa.loops<vector = 4>} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.subf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

func.func @group(%a: memref<64xf32>, %r: memref<f32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  // expected-error@+1 {{`group` is 48, expected a power of two up to 32, or the number of threads of a block, 64}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%r : memref<f32>) attrs = {proa.loops = #proa.loops<group = 48>} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  // expected-error@+1 {{`group` is 8, expected 1 for an op that threads cannot compute together}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%r : memref<f32>) attrs = {proa.loops = #proa.loops<group = 8>} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.subf %y, %x : f32
    linalg.yield %z : f32
  }
  // expected-error@+1 {{`starts` does not fit, expected a constant of the element type, or unit, for each result of a reduction}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%r : memref<f32>) attrs = {proa.loops = #proa.loops<starts = [0.0 : f64]>} {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

func.func @tensors(%a: tensor<4xf32>, %v: f32) -> tensor<4xf32> attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error@+1 {{the op is on tensors, expected memory (--proa-bufferize-kernels)}}
  %r = linalg.fill ins(%v : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
