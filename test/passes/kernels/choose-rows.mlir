// RUN: proa-opt %s --proa-choose-rows --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-choose-rows=transposed-elements=16 --split-input-file | FileCheck %s --check-prefix=BLOCKS
// RUN: proa-opt %s --proa-choose-rows=square-transposes=64 --split-input-file | FileCheck %s --check-prefix=SQUARE

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// One row at a time where the inner dimension is reduced.
// CHECK: func.func private @inner
// CHECK-SAME: proa.rows = #proa.rows<nanoseconds = {{[^,]*}}, tiles = [1], dims = {{\[\[}}0]]>
func.func private @inner(%x: tensor<128x3072xf32>) -> tensor<128xf32> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x3072xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// A piece of contiguous columns where the outer dimension is reduced.
// CHECK: func.func private @outer
// CHECK-SAME: proa.rows = #proa.rows<nanoseconds = {{[^,]*}}, tiles = [64], dims = {{\[\[}}0]]>
func.func private @outer(%x: tensor<128x3072xf32>) -> tensor<3072xf32> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<3072xf32>
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<128x3072xf32>) outs(%e : tensor<3072xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<3072xf32>
  return %0 : tensor<3072xf32>
}

// Two results share the rows; the second has no other dimension.
// CHECK: func.func private @two_results
// CHECK-SAME: proa.rows = #proa.rows<nanoseconds = {{[^,]*}}, tiles = [1], dims = {{\[\[}}0, -1], [0]]>
func.func private @two_results(%x: tensor<128x768xf32>) -> (tensor<128x768xf32>, tensor<128xf32>) attributes {proa.kernel} {
  %e0 = tensor.empty() : tensor<128x768xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x768xf32>) outs(%e0 : tensor<128x768xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<128x768xf32>
  %e1 = tensor.empty() : tensor<128xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<128x768xf32>) outs(%e1 : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %o, %a : f32
    linalg.yield %3 : f32
  } -> tensor<128xf32>
  return %0, %2 : tensor<128x768xf32>, tensor<128xf32>
}

// Near miss: row and column sums share no dimension, so that there is one row.
// CHECK: func.func private @nothing_shared
// CHECK-SAME: proa.rows = #proa.rows<nanoseconds = {{[^,]*}}, dims = {{\[\[}}-1], [-1]]>
func.func private @nothing_shared(%x: tensor<20x30xf32>) -> (tensor<20xf32>, tensor<30xf32>) attributes {proa.kernel} {
  %e0 = tensor.empty() : tensor<20x30xf32>
  %x2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20x30xf32>) outs(%e0 : tensor<20x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<20x30xf32>
  %e1 = tensor.empty() : tensor<20xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x2 : tensor<20x30xf32>) outs(%e1 : tensor<20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<20xf32>
  %e2 = tensor.empty() : tensor<30xf32>
  %2 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x2 : tensor<20x30xf32>) outs(%e2 : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %o, %a : f32
    linalg.yield %3 : f32
  } -> tensor<30xf32>
  return %0, %2 : tensor<20xf32>, tensor<30xf32>
}

// Short rows are gathered.
// CHECK: func.func private @short
// CHECK-SAME: tiles = [50]
func.func private @short(%x: tensor<1000x10xf32>) -> tensor<1000xf32> attributes {proa.kernel} {
  %e1 = tensor.empty() : tensor<1000xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1000x10xf32>) outs(%e1 : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %o, %a : f32
    linalg.yield %3 : f32
  } -> tensor<1000xf32>
  return %2 : tensor<1000xf32>
}

// Functions that are no kernels stay.
// CHECK: func.func private @other
// CHECK-NOT: proa.
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// An op with tile sizes for its loops determines the rows; a smaller dimension is one tile.
// CHECK-LABEL: func.func @contraction_tile
// CHECK-SAME: tiles = [1, 64, 20]
func.func @contraction_tile(%x: tensor<3x256x8xf32>, %y: tensor<8x20xf32>, %init: tensor<3x256x20xf32>) -> tensor<3x256x20xf32>
    attributes {proa.kernel} {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<3x256x8xf32>, tensor<8x20xf32>) outs(%init : tensor<3x256x20xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [1, 64, 32, 16], warp = [4, 4]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<3x256x20xf32>
  return %0 : tensor<3x256x20xf32>
}

// -----

// A block of 16 columns of the operand is read at once where that is asked for: the CPU's pipeline does. Without,
// a row is one line of the result.
// CHECK: func.func private @transposed
// CHECK-SAME: tiles = [1, 3136]
// BLOCKS: func.func private @transposed
// BLOCKS-SAME: tiles = [16, 3136]
// SQUARE: func.func private @transposed
// SQUARE-SAME: tiles = [64, 64]
func.func private @transposed(%x: tensor<3136x256xf32>) -> tensor<256x3136xf32> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<256x3136xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3136x256xf32>) outs(%e : tensor<256x3136xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<256x3136xf32>
  return %0 : tensor<256x3136xf32>
}
