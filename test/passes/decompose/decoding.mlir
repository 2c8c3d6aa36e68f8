// RUN: proa-opt --pd-decompose=only=pd.crf_decoding,pd.viterbi_decode,pd.ctc_align,pd.edit_distance,pd.beam_search,pd.beam_search_decode,pd.attention_lstm,pd.interpolate_gradient --split-input-file %s | FileCheck %s

// Ops with a library kernel whose formulas other targets and ONNX use. test/cases checks the values, and
// remarks-reasons.mlir has near misses.

// One loop finds the best previous tags, another one follows them back.
// CHECK-LABEL: func @crf
func.func @crf(%x: tensor<7x3xf32>, %w: tensor<5x3xf32>, %offsets: tensor<3xi64>) -> tensor<7x1xi64> {
  // CHECK: scf.while
  // CHECK: pd.argmax
  // CHECK: scf.while
  // CHECK: pd.take_along_axis
  // CHECK-NOT: pd.crf_decoding
  %0 = pd.crf_decoding %x, %w offsets = %offsets : (tensor<7x3xf32>, tensor<5x3xf32>, tensor<3xi64>) -> tensor<7x1xi64>
  return %0 : tensor<7x1xi64>
}

// -----

// The path has as many columns as the longest sequence.
// CHECK-LABEL: func @viterbi
func.func @viterbi(%x: tensor<2x4x3xf32>, %w: tensor<3x3xf32>, %n: tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>) {
  // CHECK: %[[LONGEST:.*]] = pd.max %arg2
  // CHECK: pd.slice {{.*}} -> tensor<2x?xi64>
  %0, %1 = pd.viterbi_decode %x, %w, %n : (tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  return %0, %1 : tensor<2xf32>, tensor<2x?xi64>
}

// -----

// CHECK-LABEL: func @ctc
func.func @ctc(%x: tensor<2x5xi64>) -> (tensor<2x5xi64>, tensor<2x1xi64>) {
  // CHECK: pd.cumsum
  // CHECK: pd.put_along_axis
  %0, %1 = pd.ctc_align %x : (tensor<2x5xi64>) -> (tensor<2x5xi64>, tensor<2x1xi64>)
  return %0, %1 : tensor<2x5xi64>, tensor<2x1xi64>
}

// -----

// A product with the weights along each axis.
// CHECK-LABEL: func @resize_gradient
func.func @resize_gradient(%x: tensor<1x2x3x4xf32>, %g: tensor<1x2x6x8xf32>) -> tensor<1x2x3x4xf32> {
  // CHECK: pd.bilinear_interp {{.*}} : (tensor<3x1x3x1xf32>
  // CHECK: pd.matmul
  // CHECK: pd.bilinear_interp {{.*}} : (tensor<4x1x1x4xf32>
  // CHECK: pd.matmul
  %0 = pd.interpolate_gradient %x, %g interp_method = bilinear {out_h = 6 : i64, out_w = 8 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// -----

// A loop over the diagonals of the table of distances.
// CHECK-LABEL: func @distance
func.func @distance(%x: tensor<2x5xi64>, %y: tensor<2x4xi64>) -> (tensor<1xi64>, tensor<2x1xf32>) {
  // CHECK: scf.while
  // CHECK-NOT: scf.while
  // CHECK: return
  %0, %1 = pd.edit_distance %x, %y : (tensor<2x5xi64>, tensor<2x4xi64>) -> (tensor<1xi64>, tensor<2x1xf32>)
  return %0, %1 : tensor<1xi64>, tensor<2x1xf32>
}

// -----

// The candidates of a source are sorted, later prefixes first.
// CHECK-LABEL: func @beams
func.func @beams(%i: tensor<4x1xi64>, %p: tensor<4x1xf32>, %s: tensor<4x3xf32>, %o: tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>) {
  // CHECK: pd.argsort
  // CHECK: pd.slice {{.*}}strides = array<i64: -1>
  // CHECK: pd.argsort
  // CHECK: pd.nonzero
  %0:4 = pd.beam_search %i, %p, %s, %o {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>
}
