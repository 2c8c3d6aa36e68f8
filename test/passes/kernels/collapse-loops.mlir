// RUN: proa-opt %s --proa-collapse-loops --split-input-file | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d0)>

// The channel stays apart, the two others merge.
// CHECK-LABEL: func.func @channel
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<4x8x9xf32> into tensor<4x72xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x72xf32>, tensor<4xf32>)
// CHECK: tensor.expand_shape
// CHECK-NEXT: return
func.func @channel(%x: tensor<4x8x9xf32>, %b: tensor<4xf32>) -> tensor<4x8x9xf32> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<4x8x9xf32>
  %0 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<4x8x9xf32>, tensor<4xf32>) outs(%e : tensor<4x8x9xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x9xf32>
  return %0 : tensor<4x8x9xf32>
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swap = affine_map<(d0, d1, d2) -> (d1, d0, d2)>

// Near miss: transposed dimensions are no neighbours.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x4x9xf32>)
func.func @transposed(%x: tensor<8x4x9xf32>) -> tensor<4x8x9xf32> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<4x8x9xf32>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<8x4x9xf32>) outs(%e : tensor<4x8x9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x8x9xf32>
  return %0 : tensor<4x8x9xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Near miss: one of two neighbours is reduced by another operation.
// CHECK-LABEL: func.func @reduced
// CHECK-NOT: tensor.collapse_shape
func.func @reduced(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %a, %o : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return %0, %2 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Near miss: an index of a merged loop would need a division.
// CHECK-LABEL: func.func @index
// CHECK-NOT: tensor.collapse_shape
func.func @index(%x: tensor<4x8xindex>) -> tensor<4x8xindex> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<4x8xindex>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xindex>) outs(%e : tensor<4x8xindex>) {
  ^bb0(%a: index, %o: index):
    %1 = linalg.index 1 : index
    %2 = arith.addi %a, %1 : index
    linalg.yield %2 : index
  } -> tensor<4x8xindex>
  return %0 : tensor<4x8xindex>
}

// -----

#in = affine_map<(d0, d1) -> (d1, d0)>
#out = affine_map<(d0, d1) -> (d0)>

// Loops of a reduction run over its input's memory in order.
// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @order
// CHECK: linalg.generic {indexing_maps = [#[[$IN]], #[[$OUT]]], iterator_types = ["reduction", "parallel"]}
func.func @order(%x: tensor<8x4xf32>, %i: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x4xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %a, %o : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
