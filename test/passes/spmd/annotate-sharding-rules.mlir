// RUN: proa-opt %s --pd-annotate-sharding-rules --remarks=pd-annotate-sharding-rules --split-input-file --verify-diagnostics | FileCheck %s

// Elementwise ops: dimensions align at the end, and a dimension of size 1 is replicated.
// CHECK-LABEL: @elementwise
// CHECK: pd.add {{.*}}"([i, *, k], [j, k])->([i, j, k]) {i=2, j=3, k=4}"
// CHECK: pd.relu {{.*}}"([i, j, k])->([i, j, k]) {i=2, j=3, k=4}"
func.func @elementwise(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = pd.add %x, %y : (tensor<2x1x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %1 = pd.relu %0 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// -----

// Means that count padding divide by less where more of it follows the input than precedes it.
// CHECK-LABEL: @means
// CHECK: pd.pool2d {{.*}}"([i, j, k, l])->([i, j, k, l]) {i=2, j=3, k=8, l=8} replicated={k, l} local={k, l}"
// CHECK: pd.pool2d {{.*}}"([i, j, *, *])->([i, j, *, *]) {i=2, j=3}"
func.func @means(%x: tensor<2x3x8x8xf32>) -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) {
  %0 = pd.pool2d %x pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 1, 0, 1, 0>, exclusive = false} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %1 = pd.pool2d %x pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 1, 1, 0>, exclusive = false} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return %0, %1 : tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>
}

// -----

// What is summed over is a reduction; so is what a reduction goes over.
// CHECK-LABEL: @products
// CHECK: pd.matmul {{.*}}"([l, k, j], [k, i])->([l, j, i]) {i=5, j=?, k=4, l=2} reduction={k:sum}"
// CHECK: pd.max {{.*}}"([i, j, k])->([i, j, *]) {i=2, j=?, k=5} reduction={k:maximum}"
// CHECK: pd.conv2d {{.*}}"([i, k, l, m], [j, k, *, *])->([i, j, l, m]) {i=2, j=6, k=3, l=8, m=8} reduction={k:sum} replicated={l, m} local={l, m}"
// CHECK: pd.conv2d {{.*}}"([i, *, j, k], [*, *, *, *])->([i, *, j, k]) {i=2, j=8, k=8} replicated={j, k} local={j, k}"
func.func @products(%x: tensor<2x4x?xf32>, %y: tensor<4x5xf32>, %image: tensor<2x3x8x8xf32>, %filter: tensor<6x3x3x3xf32>,
                    %grouped: tensor<6x1x3x3xf32>) -> (tensor<2x?x1xf32>, tensor<2x6x6x6xf32>, tensor<2x6x6x6xf32>) {
  %0 = pd.matmul %x, %y {transpose_x = true} : (tensor<2x4x?xf32>, tensor<4x5xf32>) -> tensor<2x?x5xf32>
  %1 = pd.max %0 {axis = array<i64: 2>, keepdim = true} : (tensor<2x?x5xf32>) -> tensor<2x?x1xf32>
  %2 = pd.conv2d %image, %filter : (tensor<2x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x6x6xf32>
  %3 = pd.conv2d %image, %grouped {groups = 3 : i64} : (tensor<2x3x8x8xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x6x6xf32>
  return %1, %2, %3 : tensor<2x?x1xf32>, tensor<2x6x6x6xf32>, tensor<2x6x6x6xf32>
}

// -----

// A vector of numbers and vectors runs whole.
// CHECK-LABEL: @numbers
// CHECK-NOT: pd.sharding_rule
func.func @numbers(%x: tensor<3xi32>, %n: tensor<i32>) -> tensor<4xi32> {
  // expected-remark @+1 {{pd.concat runs whole on each device: these operands and attributes have no sharding rule}}
  %0 = pd.concat %x, %n : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A dimension that is joined from several has their factors; of one that is cut otherwise only what is common.
// CHECK-LABEL: @moves
// CHECK: pd.transpose {{.*}}"([j, k, i])->([i, j, k]) {i=6, j=4, k=10}"
// CHECK: pd.reshape {{.*}}"([ij, k])->([i, j, k]) {i=2, j=2, k=60}"
// CHECK: pd.reshape {{.*}}"([i, jk])->([i, j, k]) {i=?, j=2, k=4}"
// CHECK: pd.reshape {{.*}}"([i, j])->([i, j]) {i=?, j=8}"
// CHECK: pd.concat {{.*}}"([*, i], [*, i])->([*, i]) {i=8}"
// CHECK: pd.slice {{.*}}"([*, i])->([*, i]) {i=8}"
func.func @moves(%x: tensor<4x10x6xf32>, %y: tensor<4x60xf32>, %open: tensor<?x8xf32>) -> (tensor<6x4x10xf32>, tensor<2x2x60xf32>,
                 tensor<?x2x4xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<1x8xf32>) {
  %0 = pd.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<4x10x6xf32>) -> tensor<6x4x10xf32>
  %1 = pd.reshape %y {shape = array<i64: 2, 2, 60>} : (tensor<4x60xf32>) -> tensor<2x2x60xf32>
  %2 = pd.reshape %open {shape = array<i64: 0, 2, 4>} : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  %3 = pd.reshape %open {shape = array<i64: -1, 8>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = pd.concat %open, %open : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %5 = pd.slice %open {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<1x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6x4x10xf32>, tensor<2x2x60xf32>, tensor<?x2x4xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<1x8xf32>
}

// -----

// Composites: by their decomposition. What is summed and then spread again is needed whole.
// CHECK-LABEL: @composites
// CHECK: pd.softmax {{.*}}"([i, j])->([i, j]) {i=4, j=8} replicated={j} local={j}"
// CHECK: pd.layer_norm {{.*}}"([i, j], [j], [j])->([i, j], [i], [i]) {i=4, j=8} replicated={j} local={j}"
// CHECK: pd.linear_interp {{.*}}"([i, j, *])->([i, j, *]) {i=4, j=2}"
func.func @composites(%x: tensor<4x8xf32>, %scale: tensor<8xf32>, %image: tensor<4x2x8xf32>) -> (tensor<4x8xf32>, tensor<4x2x16xf32>) {
  %0 = pd.softmax %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1:3 = pd.layer_norm %0 scale = %scale bias = %scale : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %2 = pd.linear_interp %image {out_w = 16 : i64} : (tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  return %1#0, %2 : tensor<4x8xf32>, tensor<4x2x16xf32>
}

// -----

// A shard has the local number of classes, and another first dimension of size 3.
// CHECK-LABEL: @dims_in_the_op
// CHECK: pd.label_smooth {{.*}}"([i, j])->([i, j]) {i=4, j=8} replicated={j} local={j}"
// CHECK: pd.cross {{.*}}"([*, *, i], [*, *, i])->([*, *, i]) {i=5}"
// CHECK: pd.cross {{.*}}"([i, *, j], [i, *, j])->([i, *, j]) {i=6, j=5}"
func.func @dims_in_the_op(%x: tensor<4x8xf32>, %y: tensor<6x3x5xf32>) -> (tensor<4x8xf32>, tensor<6x3x5xf32>, tensor<6x3x5xf32>) {
  %0 = pd.label_smooth %x {epsilon = 0.1 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.cross %y, %y : (tensor<6x3x5xf32>, tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  %2 = pd.cross %y, %y {axis = 1} : (tensor<6x3x5xf32>, tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<6x3x5xf32>, tensor<6x3x5xf32>
}

// -----

// What the local form of an op can split besides. With k elements the results have the axis too.
// CHECK-LABEL: @local_forms
// CHECK: pd.cumsum {{.*}}"([i, j])->([i, j]) {i=4, j=8} replicated={j} local={j}"
// CHECK: pd.argmax {{.*}}"([i, j])->([i]) {i=4, j=8} replicated={j} local={j}"
// CHECK: pd.topk {{.*}}"([i, j])->([i, *], [i, *]) {i=4, j=8} replicated={j} local={j}"
// CHECK: pd.topk {{.*}}"([i, j])->([i, j], [i, j]) {i=4, j=8} replicated={j}"
// CHECK: pd.embedding {{.*}}"([i], [k, j])->([i, j]) {i=5, j=8, k=4} replicated={k} local={k:sum}"
// CHECK: pd.argsort {{.*}}"([i, j])->([i, j], [i, j]) {i=4, j=8} replicated={j} local={j}"
func.func @local_forms(%x: tensor<4x8xf32>, %ids: tensor<5xi64>) -> (tensor<4x8xf32>, tensor<4xi64>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<5x8xf32>) {
  %0 = pd.cumsum %x {axis = 1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.argmax %x {axis = 1} : (tensor<4x8xf32>) -> tensor<4xi64>
  %2:2 = pd.topk %x {k = 2, axis = 1} : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  %3:2 = pd.topk %x {k = 8, axis = 1} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %4 = pd.embedding %ids, %x : (tensor<5xi64>, tensor<4x8xf32>) -> tensor<5x8xf32>
  %5:2 = pd.argsort %x {axis = 1} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %0, %1, %2#0, %3#0, %4 : tensor<4x8xf32>, tensor<4xi64>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<5x8xf32>
}

// -----

// By the record, for a batch of any dimensions.
// CHECK-LABEL: @records
// CHECK: pd.cholesky {{.*}}"([i, j, *, *])->([i, j, *, *]) {i=2, j=3}"
// CHECK: pd.full_like {{.*}}"([i, j, k, l])->([i, j, k, l]) {i=2, j=3, k=4, l=4}"
func.func @records(%x: tensor<2x3x4x4xf64>) -> (tensor<2x3x4x4xf64>, tensor<2x3x4x4xf64>) {
  %0 = pd.cholesky %x : (tensor<2x3x4x4xf64>) -> tensor<2x3x4x4xf64>
  %1 = pd.full_like %x : (tensor<2x3x4x4xf64>) -> tensor<2x3x4x4xf64>
  return %0, %1 : tensor<2x3x4x4xf64>, tensor<2x3x4x4xf64>
}

// -----

// CHECK-LABEL: @without
// CHECK-NOT: pd.sharding_rule
func.func @without(%x: tensor<4xi1>) -> tensor<?x1xi64> {
  // expected-remark @below {{pd-annotate-sharding-rules: pd.nonzero runs whole on each device: the dims of its results depend on data}}
  %0 = pd.nonzero %x : (tensor<4xi1>) -> tensor<?x1xi64>
  return %0 : tensor<?x1xi64>
}
