// RUN: proa-opt %s --proa-tile-rows --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The producer is computed row by row, and the second result is stored beside the first.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: %[[X:.*]]: memref<128x768xf32> {llvm.noalias}, %[[OUT0:.*]]: memref<128x768xf32> {llvm.noalias}, %[[OUT1:.*]]: memref<128xf32> {llvm.noalias}, %[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[X]] restrict
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[S0:.*]] = memref.subview %[[OUT0]][%[[I]], 0] [1, 768]
// CHECK: %[[S1:.*]] = memref.subview %[[OUT1]][%[[I]]] [1]
// CHECK: tensor.extract_slice %[[T]][%[[I]], 0] [1, 768]
// CHECK: %[[EXP:.*]] = linalg.generic
// CHECK: -> tensor<1x768xf32>
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: -> tensor<1xf32>
// CHECK: bufferization.materialize_in_destination %[[EXP]] in restrict writable %[[S0]]
// CHECK: bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[S1]]
func.func private @rows(%x: tensor<128x768xf32>) -> (tensor<128x768xf32>, tensor<128xf32>)
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0, -1], [0]]>} {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<128x768xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x768xf32>) outs(%e0 : tensor<128x768xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<128x768xf32>
  %e1 = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<128xf32>) -> tensor<128xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<128x768xf32>) outs(%f : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %o, %a : f32
    linalg.yield %3 : f32
  } -> tensor<128xf32>
  return %0, %2 : tensor<128x768xf32>, tensor<128xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
#id1 = affine_map<(d0) -> (d0)>

// Near miss: what does not depend on the row stays before the loop, computed once.
// CHECK-LABEL: func.func private @invariant
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: arith.mulf
func.func private @invariant(%x: tensor<128x768xf32>, %b: tensor<768xf32>) -> tensor<128x768xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0, -1]]>} {
  %e0 = tensor.empty() : tensor<768xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%b : tensor<768xf32>) outs(%e0 : tensor<768xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<768xf32>
  %e1 = tensor.empty() : tensor<128x768xf32>
  %2 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<128x768xf32>, tensor<768xf32>) outs(%e1 : tensor<128x768xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.mulf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<128x768xf32>
  return %2 : tensor<128x768xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Dynamic dims that must be equal are one value, so that no operation appears twice.
// CHECK-LABEL: func.func private @dynamic
// CHECK-SAME: %[[X:.*]]: memref<f32> {llvm.noalias}, %[[Y:.*]]: memref<f32> {llvm.noalias}, %[[OUT:.*]]: memref<f32> {llvm.noalias}, %[[N:[a-z0-9]*]]: index, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: index, %[[BEGIN:[a-z0-9]*]]: index
// CHECK-COUNT-3: memref.reinterpret_cast %{{.*}} sizes: [%[[N]], 768]
func.func private @dynamic(%x: tensor<?x768xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0, -1]]>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x768xf32>
  %e1 = tensor.empty(%n) : tensor<?x768xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x768xf32>, tensor<?x768xf32>) outs(%e1 : tensor<?x768xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.mulf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x768xf32>
  return %2 : tensor<?x768xf32>
}

// -----

// expected-error @+2 {{C3: `dims` has array<i64: 1>, expected -1 to 0}}
func.func private @wrong(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[1]]>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{`dims` has 2 entries, expected one for each of 1 results}}
func.func private @wrong(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0], [0]]>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+2 {{C2: `tiles` are [0], expected sizes of at least 1}}
func.func private @wrong(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [0], dims = [[0]]>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+2 {{C3: `dims` has array<i64: -2>, expected -1 to 0}}
func.func private @wrong(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[-2]]>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{`dims` of result 0 names row dimension 0 twice}}
func.func private @wrong(%x: tensor<4x4xf32>) -> tensor<4x4xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0, 0]]>} {
  return %x : tensor<4x4xf32>
}

// -----

// expected-error @below {{`dims` of result 1 has size 5 in row dimension 0, expected 4 as in another result}}
func.func private @wrong(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0], [0]]>} {
  return %x, %y : tensor<4xf32>, tensor<5xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{used here}}
  %0 = call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expected-error @below {{kernel 'called' is called, but its signature must change, expected a module of kernels only (--proa-extract-kernels)}}
func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  return %x : tensor<4xf32>
}

// -----

#empty = affine_map<(d0, d1) -> (d0, d1)>
#emptyRow = affine_map<(d0, d1) -> (d0)>

// A loop without iterations is not tiled: MLIR takes a size of 0 for a dimension that is not tiled.
// CHECK-LABEL: func.func private @empty_sum
// CHECK: linalg.generic
// CHECK: scf.for
func.func private @empty_sum(%x: tensor<?x0xf32>, %start: tensor<?xf32>) -> tensor<?xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0]]>} {
  %0 = linalg.generic {indexing_maps = [#empty, #emptyRow], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x0xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
