// RUN: proa-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @shape_operand_with_one_open_extent
func.func @shape_operand_with_one_open_extent(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> {
  %shape = pd.shape %x : (tensor<?x6xf32>) -> tensor<2xi32>
  %first = pd.slice %shape {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %rest = pd.constant dense<[2, 3]> : tensor<2xi32>
  %dims = pd.concat %first, %rest {axis = 0 : i64} : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  // CHECK: pd.reshape %{{[a-z0-9]+}} {shape = array<i64: -1, 2, 3>} : (tensor<?x6xf32>)
  %out = pd.reshape %x, %dims : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<?x2x3xf32>
  return %out : tensor<?x2x3xf32>
}

// CHECK-LABEL: @two_open_extents_stay
func.func @two_open_extents_stay(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: pd.shape
  // CHECK: pd.reshape %{{[a-z0-9]+}}, %
  %shape = pd.shape %y : (tensor<?x?xf32>) -> tensor<2xi32>
  %out = pd.reshape %x, %shape : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}

// Dims of the operand, also of what it is computed of, are copied beside one that is inferred.
// CHECK-LABEL: @copied_extents
func.func @copied_extents(%y: tensor<?x?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x?x?x16xf32> {
  // CHECK: pd.reshape %{{[a-z0-9]+}} {shape = array<i64: 0, 0, -1, 16>}
  %x = pd.matmul %y, %w : (tensor<?x?x64xf32>, tensor<64x64xf32>) -> tensor<?x?x64xf32>
  %size = pd.constant dense<16> : tensor<1xi64>
  %open = pd.constant dense<-1> : tensor<1xi64>
  %axis = pd.constant dense<1> : tensor<i64>
  %rows = pd.dim %y {index = 0 : i64} : (tensor<?x?x64xf32>) -> tensor<i64>
  %columns = pd.dim %y {index = 1 : i64} : (tensor<?x?x64xf32>) -> tensor<i64>
  %first = pd.reshape %rows {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %second = pd.reshape %columns {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %both = pd.concat %first, %second : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %own = pd.gather %both, %axis : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %last = pd.unsqueeze %own {axis = array<i64: 0>} : (tensor<i64>) -> tensor<1xi64>
  %shape = pd.concat %first, %last, %open, %size : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %out = pd.reshape %x, %shape : (tensor<?x?x64xf32>, tensor<4xi64>) -> tensor<?x?x?x16xf32>
  return %out : tensor<?x?x?x16xf32>
}

// Near miss: the dims of the operand in another order.
// CHECK-LABEL: @swapped_extents_stay
func.func @swapped_extents_stay(%x: tensor<?x?x64xf32>) -> tensor<?x?x?xf32> {
  // CHECK: pd.reshape %{{[a-z0-9]+}}, %
  %open = pd.constant dense<-1> : tensor<1xi64>
  %rows = pd.dim %x {index = 0 : i64} : (tensor<?x?x64xf32>) -> tensor<i64>
  %columns = pd.dim %x {index = 1 : i64} : (tensor<?x?x64xf32>) -> tensor<i64>
  %first = pd.reshape %rows {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %second = pd.reshape %columns {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %shape = pd.concat %second, %first, %open : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %out = pd.reshape %x, %shape : (tensor<?x?x64xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %out : tensor<?x?x?xf32>
}

// Near miss: a dim that is not known is not inferred beside dims that may be 0.
// CHECK-LABEL: @unknown_extent_stays
func.func @unknown_extent_stays(%x: tensor<?x?x64xf32>, %n: tensor<1xi64>) -> tensor<?x?x?xf32> {
  // CHECK: pd.reshape %{{[a-z0-9]+}}, %
  %rows = pd.dim %x {index = 0 : i64} : (tensor<?x?x64xf32>) -> tensor<i64>
  %first = pd.reshape %rows {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %size = pd.constant dense<64> : tensor<1xi64>
  %shape = pd.concat %first, %n, %size : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %out = pd.reshape %x, %shape : (tensor<?x?x64xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %out : tensor<?x?x?xf32>
}

// Entries of an expand as ONNX exporters compute them: -1 becomes 1, and 1 the dim.
// CHECK-LABEL: @kept_extents
func.func @kept_extents(%x: tensor<?x4x1x?x16xf32>) -> tensor<?x4x2x?x16xf32> {
  // CHECK: pd.expand %{{[a-z0-9]+}} {shape = array<i64: -1, 4, 2, -1, 16>}
  %one = pd.constant dense<1> : tensor<1xi64>
  %open = pd.constant dense<-1> : tensor<5xi64>
  %ones = pd.constant dense<1> : tensor<5xi64>
  %heads = pd.constant dense<[4, 2]> : tensor<2xi64>
  %size = pd.constant dense<16> : tensor<1xi64>
  %rows = pd.dim %x {index = 0 : i64} : (tensor<?x4x1x?x16xf32>) -> tensor<i64>
  %columns = pd.dim %x {index = 3 : i64} : (tensor<?x4x1x?x16xf32>) -> tensor<i64>
  %first = pd.reshape %rows {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %second = pd.reshape %columns {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %given = pd.concat %first, %heads, %second, %size : (tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %isOpen = pd.equal %given, %open : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
  %closed = pd.where %isOpen, %ones, %given : (tensor<5xi1>, tensor<5xi64>, tensor<5xi64>) -> tensor<5xi64>
  %own = pd.slice %closed {axes = array<i64: 0>, starts = array<i64: 3>, ends = array<i64: 4>} : (tensor<5xi64>) -> tensor<1xi64>
  %isOne = pd.equal %own, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %kept = pd.where %isOne, %second, %own : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %shape = pd.concat %first, %heads, %kept, %size : (tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %out = pd.expand %x, %shape : (tensor<?x4x1x?x16xf32>, tensor<5xi64>) -> tensor<?x4x2x?x16xf32>
  return %out : tensor<?x4x2x?x16xf32>
}

// CHECK-LABEL: @slice_bounds
func.func @slice_bounds(%x: tensor<?x8xf32>) -> tensor<?x3xf32> {
  // CHECK-NOT: pd.constant
  // CHECK: pd.slice %arg0 {axes = array<i64: 1>, ends = array<i64: 5>, starts = array<i64: 2>}
  %start = pd.constant dense<2> : tensor<1xi64>
  %end = pd.constant dense<5> : tensor<1xi64>
  %out = pd.slice %x starts = %start ends = %end {axes = array<i64: 1>} : (tensor<?x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return %out : tensor<?x3xf32>
}

// CHECK-LABEL: @identities
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: return %arg0
  %0 = pd.reshape %x {shape = array<i64: 3, 2>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 3>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = pd.transpose %1 {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = pd.transpose %2 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %4 = pd.slice %3 {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 9>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = pd.assign %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = pd.tile %5 {repeat_times = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// Near miss: a full slice with a negative stride is not an identity.
// CHECK-LABEL: @backwards
func.func @backwards(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: pd.slice
  %0 = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 3>, ends = array<i64: -1>, strides = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Match: both addends have the dim of x, so an expand to it keeps the dim.
// CHECK-LABEL: @own_dims
func.func @own_dims(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: pd.expand %arg0 {shape = array<i64: -1, 4>}
  %y = pd.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = pd.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %size = pd.constant dense<4> : tensor<1xi64>
  %dim = pd.dim %a {index = 0 : i64} : (tensor<?x4xf32>) -> tensor<i64>
  %rows = pd.reshape %dim {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %shape = pd.concat %rows, %size : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %out = pd.expand %x, %shape : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}

// Near miss: x may have one row, and y several, which the sum then has.
// CHECK-LABEL: @broadcast_dims
func.func @broadcast_dims(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: %[[SHAPE:.*]] = pd.concat
  // CHECK: pd.expand %arg0, %[[SHAPE]]
  %a = pd.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %size = pd.constant dense<4> : tensor<1xi64>
  %dim = pd.dim %a {index = 0 : i64} : (tensor<?x4xf32>) -> tensor<i64>
  %rows = pd.reshape %dim {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %shape = pd.concat %rows, %size : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %out = pd.expand %x, %shape : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %a, %out : tensor<?x4xf32>, tensor<?x4xf32>
}
