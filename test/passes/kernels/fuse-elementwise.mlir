// RUN: proa-opt %s --proa-fuse-elementwise --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// A producer with one consumer and as many loops.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.addf
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e0 = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%e1 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = math.exp %a : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id1 = affine_map<(d0) -> (d0)>

// Near miss: a square root for each row is not repeated for each element.
// CHECK-LABEL: func.func @lower_rank
// CHECK: linalg.generic
// CHECK: math.sqrt
// CHECK: linalg.generic
// CHECK: arith.divf
func.func @lower_rank(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> tensor<4x8xf32> {
  %e0 = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%v : tensor<4xf32>) outs(%e0 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.sqrt %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x8xf32>, tensor<4xf32>) outs(%e1 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.divf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

#id1 = affine_map<(d0) -> (d0)>

// A cast is fused into both consumers; near miss: an exponential with two consumers is not.
// CHECK-LABEL: func.func @two_consumers
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func @two_consumers(%x: tensor<8xi32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e0 = tensor.empty() : tensor<8xf32>
  %cast = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi32>) outs(%e0 : tensor<8xf32>) {
  ^bb0(%a: i32, %o: f32):
    %1 = arith.sitofp %a : i32 to f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %exp = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf32>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%cast, %exp : tensor<8xf32>, tensor<8xf32>) outs(%e2 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %e3 = tensor.empty() : tensor<8xf32>
  %product = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%cast, %exp : tensor<8xf32>, tensor<8xf32>) outs(%e3 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %sum, %product : tensor<8xf32>, tensor<8xf32>
}

// -----

#id1 = affine_map<(d0) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A reshape between two operations moves away; one of an argument stays, it is a view.
// CHECK-LABEL: func.func @reshape
// CHECK: tensor.expand_shape %{{.*}} : tensor<12xf32> into tensor<3x4xf32>
// CHECK: linalg.generic
// CHECK-NOT: tensor.collapse_shape
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @reshape(%x: tensor<12xf32>) -> tensor<3x4xf32> {
  %e0 = tensor.empty() : tensor<12xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : tensor<12xf32>) outs(%e0 : tensor<12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<12xf32>
  %2 = tensor.expand_shape %0 [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %e1 = tensor.empty() : tensor<3x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<3x4xf32>) outs(%e1 : tensor<3x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %4 = arith.negf %a : f32
    linalg.yield %4 : f32
  } -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// An operation whose type says less than its operands: the pass ends.
// CHECK-LABEL: func.func @less_known
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<5x4xf32>)
// CHECK: tensor.cast %{{.*}} : tensor<5x4xf32> to tensor<?x?xf32>
func.func @less_known(%x: tensor<4x5xf32>) -> tensor<?x?xf32> {
  %e = tensor.empty() : tensor<5x4xf32>
  %c = tensor.cast %e : tensor<5x4xf32> to tensor<?x4xf32>
  %d = tensor.cast %c : tensor<?x4xf32> to tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf32>) outs(%d : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#map = affine_map<() -> ()>

// Of a producer with an effect, nothing is left.
// CHECK-LABEL: func.func @checked
// CHECK-COUNT-1: linalg.generic
// CHECK: memref.atomic_rmw
// CHECK-NOT: linalg.generic
func.func @checked(%x: tensor<9xf32>, %i: tensor<1xi64>, %words: memref<1xi64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<f32>
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = []} outs(%e : tensor<f32>) {
  ^bb0(%o: f32):
    %index = tensor.extract %i[%c0] : tensor<1xi64>
    %place = arith.index_cast %index : i64 to index
    %c9 = arith.constant 9 : index
    %isOut = arith.cmpi uge, %place, %c9 : index
    scf.if %isOut {
      %old = memref.atomic_rmw minu %index, %words[%c0] : (i64, memref<1xi64>) -> i64
    }
    %element = tensor.extract %x[%place] : tensor<9xf32>
    linalg.yield %element : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%0 : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.addf %a, %a : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>

// A sum of no elements is its initial value.
// CHECK-LABEL: func.func @empty_sum
// CHECK-NOT: linalg.generic
// CHECK: return %arg1
func.func @empty_sum(%x: tensor<?x0xf32>, %start: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x0xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A sum of an unknown number of elements stays.
// CHECK-LABEL: func.func @unknown_sum
// CHECK: linalg.generic
func.func @unknown_sum(%x: tensor<?x?xf32>, %start: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
