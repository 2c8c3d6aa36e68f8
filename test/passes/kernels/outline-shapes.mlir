// RUN: proa-opt %s --proa-outline-shapes --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: func.func private @exp
// CHECK-SAME: proa.rows = #proa.rows<count = ?, tiles
// CHECK: func.func private @exp_shape(%[[N:.*]]: index, %[[M:.*]]: index) -> (index, index, index) {
// CHECK: %[[ROWS:.*]] = affine.apply
// CHECK: return %[[N]], %[[M]], %[[ROWS]]
func.func private @exp(%x: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1, 64], dims = [[0, 1]]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A static result needs no function; its number of rows is known.
// CHECK: func.func private @static
// CHECK-SAME: proa.rows = #proa.rows<count = 4, tiles
// CHECK-NOT: @static_shape
func.func private @static(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0, -1]]>} {
  return %x : tensor<4x8xf32>
}

// -----

func.func private @data_dependent(%x: tensor<1xi64>) -> tensor<?xf32> attributes {proa.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{the shape of a result of kernel 'data_dependent_shape' depends on more than the shapes of its arguments}}
  %n = tensor.extract %x[%c0] : tensor<1xi64>
  %size = arith.index_cast %n : i64 to index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}
