// RUN: proa-opt %s --pd-fold-repeats | FileCheck %s

// Each row of x is taken whole.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x9x8xf32>, %[[I:.*]]: tensor<2x1x5x1xi64>
// CHECK: pd.take_along_axis %[[X]], %[[I]] {axis = 2 : i64} : (tensor<2x4x9x8xf32>, tensor<2x1x5x1xi64>) -> tensor<2x4x5x8xf32>
func.func @rows(%x: tensor<2x4x9x8xf32>, %i: tensor<2x1x5x1xi64>) -> tensor<2x4x5x8xf32> {
  %0 = pd.expand %i {shape = array<i64: 2, 4, 5, 8>} : (tensor<2x1x5x1xi64>) -> tensor<2x4x5x8xi64>
  %1 = pd.take_along_axis %x, %0 {axis = 2} : (tensor<2x4x9x8xf32>, tensor<2x4x5x8xi64>) -> tensor<2x4x5x8xf32>
  return %1 : tensor<2x4x5x8xf32>
}

// The indices of only 4 of the 8 columns: broadcast, they would take all.
// CHECK-LABEL: func.func @fewer_columns(
// CHECK: %[[I:.*]] = pd.expand
// CHECK: pd.take_along_axis %{{.*}}, %[[I]]
func.func @fewer_columns(%x: tensor<2x9x8xf32>, %i: tensor<2x5x1xi64>) -> tensor<2x5x4xf32> {
  %0 = pd.expand %i {shape = array<i64: 2, 5, 4>} : (tensor<2x5x1xi64>) -> tensor<2x5x4xi64>
  %1 = pd.take_along_axis %x, %0 {axis = 1} : (tensor<2x9x8xf32>, tensor<2x5x4xi64>) -> tensor<2x5x4xf32>
  return %1 : tensor<2x5x4xf32>
}

// Repeated along the axis itself.
// CHECK-LABEL: func.func @along_axis(
// CHECK: %[[I:.*]] = pd.expand
// CHECK: pd.take_along_axis %{{.*}}, %[[I]]
func.func @along_axis(%x: tensor<2x9xf32>, %i: tensor<2x1xi64>) -> tensor<2x9xf32> {
  %0 = pd.expand %i {shape = array<i64: 2, 9>} : (tensor<2x1xi64>) -> tensor<2x9xi64>
  %1 = pd.take_along_axis %x, %0 {axis = 1} : (tensor<2x9xf32>, tensor<2x9xi64>) -> tensor<2x9xf32>
  return %1 : tensor<2x9xf32>
}

// CHECK-LABEL: func.func @added_dims(
// CHECK: pd.expand
func.func @added_dims(%x: tensor<2x9xf32>, %i: tensor<5xi64>) -> tensor<2x5xf32> {
  %0 = pd.expand %i {shape = array<i64: 2, 5>} : (tensor<5xi64>) -> tensor<2x5xi64>
  %1 = pd.take_along_axis %x, %0 {axis = 1} : (tensor<2x9xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}

// Keys of 4 heads for 12 heads of queries.
// CHECK-LABEL: func.func @grouped_heads(
// CHECK-SAME: %[[Q:.*]]: tensor<2x12x2x8xf32>, %[[K:.*]]: tensor<2x4x1x7x8xf32>
// CHECK: %[[ROWS:.*]] = pd.reshape %[[Q]] {shape = array<i64: 2, 4, 6, 8>} : (tensor<2x12x2x8xf32>) -> tensor<2x4x6x8xf32>
// CHECK: %[[KEYS:.*]] = pd.reshape %[[K]] {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x4x1x7x8xf32>) -> tensor<2x4x7x8xf32>
// CHECK: %[[OUT:.*]] = pd.matmul %[[ROWS]], %[[KEYS]] {transpose_y = true} : (tensor<2x4x6x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x6x7xf32>
// CHECK: pd.reshape %[[OUT]] {shape = array<i64: 2, 12, 2, 7>} : (tensor<2x4x6x7xf32>) -> tensor<2x12x2x7xf32>
func.func @grouped_heads(%q: tensor<2x12x2x8xf32>, %k: tensor<2x4x1x7x8xf32>) -> tensor<2x12x2x7xf32> {
  %0 = pd.expand %k {shape = array<i64: 2, 4, 3, 7, 8>} : (tensor<2x4x1x7x8xf32>) -> tensor<2x4x3x7x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 12, 7, 8>} : (tensor<2x4x3x7x8xf32>) -> tensor<2x12x7x8xf32>
  %2 = pd.matmul %q, %1 {transpose_y = true} : (tensor<2x12x2x8xf32>, tensor<2x12x7x8xf32>) -> tensor<2x12x2x7xf32>
  return %2 : tensor<2x12x2x7xf32>
}

// The repeats are not adjacent: heads 0, 4 and 8 have the same keys.
// CHECK-LABEL: func.func @tiled_heads(
// CHECK: pd.expand
// CHECK: pd.matmul {{.*}} tensor<2x12x7x8xf32>
func.func @tiled_heads(%q: tensor<2x12x2x8xf32>, %k: tensor<2x1x4x7x8xf32>) -> tensor<2x12x2x7xf32> {
  %0 = pd.expand %k {shape = array<i64: 2, 3, 4, 7, 8>} : (tensor<2x1x4x7x8xf32>) -> tensor<2x3x4x7x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 12, 7, 8>} : (tensor<2x3x4x7x8xf32>) -> tensor<2x12x7x8xf32>
  %2 = pd.matmul %q, %1 {transpose_y = true} : (tensor<2x12x2x8xf32>, tensor<2x12x7x8xf32>) -> tensor<2x12x2x7xf32>
  return %2 : tensor<2x12x2x7xf32>
}

// The rows of a transposed factor are not adjacent.
// CHECK-LABEL: func.func @transposed(
// CHECK: pd.expand
func.func @transposed(%q: tensor<2x12x8x2xf32>, %k: tensor<2x4x1x7x8xf32>) -> tensor<2x12x2x7xf32> {
  %0 = pd.expand %k {shape = array<i64: 2, 4, 3, 7, 8>} : (tensor<2x4x1x7x8xf32>) -> tensor<2x4x3x7x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 12, 7, 8>} : (tensor<2x4x3x7x8xf32>) -> tensor<2x12x7x8xf32>
  %2 = pd.matmul %q, %1 {transpose_x = true, transpose_y = true} : (tensor<2x12x8x2xf32>, tensor<2x12x7x8xf32>) -> tensor<2x12x2x7xf32>
  return %2 : tensor<2x12x2x7xf32>
}

// Decoding: the batch and the number of keys are dynamic, and the shapes name the dims of the keys.
// CHECK-LABEL: func.func @dynamic_heads(
// CHECK-SAME: %[[Q:.*]]: tensor<?x12x1x8xf32>, %[[K:.*]]: tensor<?x4x1x?x8xf32>
// CHECK-NOT: pd.expand
// CHECK: %[[ROWS:.*]] = pd.reshape %[[Q]] {shape = array<i64: 0, 4, 3, 8>} : (tensor<?x12x1x8xf32>) -> tensor<?x4x3x8xf32>
// CHECK: %[[KEYS:.*]] = pd.reshape %[[K]] {{.*}} -> tensor<?x4x?x8xf32>
// CHECK: pd.matmul %[[ROWS]], %[[KEYS]] {transpose_y = true} : (tensor<?x4x3x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x3x?xf32>
func.func @dynamic_heads(%q: tensor<?x12x1x8xf32>, %k: tensor<?x4x1x?x8xf32>) -> tensor<?x12x1x?xf32> {
  %0 = pd.expand %k {shape = array<i64: -1, 4, 3, -1, 8>} : (tensor<?x4x1x?x8xf32>) -> tensor<?x4x3x?x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 0, 12, -1, 8>} : (tensor<?x4x3x?x8xf32>) -> tensor<?x12x?x8xf32>
  %2 = pd.matmul %q, %1 {transpose_y = true} : (tensor<?x12x1x8xf32>, tensor<?x12x?x8xf32>) -> tensor<?x12x1x?xf32>
  return %2 : tensor<?x12x1x?xf32>
}

// The shapes are tensors, which hold dims of what the keys were before a dimension was added.
// CHECK-LABEL: func.func @named_dims(
// CHECK-NOT: pd.expand
// CHECK: pd.matmul {{.*}} (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>)
func.func @named_dims(%q: tensor<?x12x?x8xf32>, %k: tensor<?x4x?x8xf32>) -> tensor<?x12x?x?xf32> {
  %four = pd.constant dense<4> : tensor<1xi64>
  %three = pd.constant dense<3> : tensor<1xi64>
  %heads = pd.constant dense<12> : tensor<1xi64>
  %eight = pd.constant dense<8> : tensor<1xi64>
  %b = pd.dim %k {index = 0} : (tensor<?x4x?x8xf32>) -> tensor<i64>
  %n = pd.dim %k {index = 2} : (tensor<?x4x?x8xf32>) -> tensor<i64>
  %bs = pd.reshape %b {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %ns = pd.reshape %n {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %wide = pd.concat %bs, %four, %three, %ns, %eight {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %all = pd.concat %bs, %heads, %ns, %eight {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %0 = pd.reshape %k {shape = array<i64: 0, 4, 1, -1, 8>} : (tensor<?x4x?x8xf32>) -> tensor<?x4x1x?x8xf32>
  %1 = pd.expand %0, %wide : (tensor<?x4x1x?x8xf32>, tensor<5xi64>) -> tensor<?x4x3x?x8xf32>
  %2 = pd.reshape %1, %all : (tensor<?x4x3x?x8xf32>, tensor<4xi64>) -> tensor<?x12x?x8xf32>
  %3 = pd.matmul %q, %2 {transpose_y = true} : (tensor<?x12x?x8xf32>, tensor<?x12x?x8xf32>) -> tensor<?x12x?x?xf32>
  return %3 : tensor<?x12x?x?xf32>
}

// The expand may also repeat along the batch.
// CHECK-LABEL: func.func @repeated_batch(
// CHECK: pd.expand
func.func @repeated_batch(%q: tensor<?x12x1x8xf32>, %k: tensor<?x4x1x7x8xf32>) -> tensor<?x12x1x7xf32> {
  %b = pd.dim %q {index = 0} : (tensor<?x12x1x8xf32>) -> tensor<i64>
  %bs = pd.reshape %b {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %rest = pd.constant dense<[4, 3, 7, 8]> : tensor<4xi64>
  %wide = pd.concat %bs, %rest {axis = 0} : (tensor<1xi64>, tensor<4xi64>) -> tensor<5xi64>
  %0 = pd.expand %k, %wide : (tensor<?x4x1x7x8xf32>, tensor<5xi64>) -> tensor<?x4x3x7x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 0, 12, 7, 8>} : (tensor<?x4x3x7x8xf32>) -> tensor<?x12x7x8xf32>
  %2 = pd.matmul %q, %1 {transpose_y = true} : (tensor<?x12x1x8xf32>, tensor<?x12x7x8xf32>) -> tensor<?x12x1x7xf32>
  return %2 : tensor<?x12x1x7xf32>
}
