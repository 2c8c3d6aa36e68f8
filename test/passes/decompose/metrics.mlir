// RUN: proa-opt --pd-decompose=only=pd.chunk_eval,pd.precision_recall,pd.auc --split-input-file %s | FileCheck %s

// Metrics with a library kernel whose formulas other targets and ONNX use. test/cases checks the values.

// Chunks agree where both begin, and the next cut of either is one of both.
// CHECK-LABEL: func @chunks
func.func @chunks(%x: tensor<2x6xi64>, %y: tensor<2x6xi64>, %n: tensor<2xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) {
  // CHECK: pd.floor_divide
  // CHECK: pd.cumsum
  // CHECK: pd.nonzero
  // CHECK-NOT: pd.chunk_eval
  %0:6 = pd.chunk_eval %x, %y length = %n {num_chunk_types = 3 : i64} : (tensor<2x6xi64>, tensor<2x6xi64>, tensor<2xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>
}

// -----

// CHECK-LABEL: func @auc
func.func @auc(%x: tensor<8x2xf32>, %y: tensor<8x1xi64>, %p: tensor<1x11xi64>, %n: tensor<1x11xi64>) -> (tensor<f64>, tensor<1x11xi64>, tensor<1x11xi64>) {
  // CHECK: pd.scatter_nd {{.*}} reduce = add
  // CHECK: pd.cumsum {{.*}} exclusive = true{{.*}} reverse = true
  %0, %1, %2 = pd.auc %x, %y, %p, %n {num_thresholds = 10 : i64, slide_steps = 0 : i64} : (tensor<8x2xf32>, tensor<8x1xi64>, tensor<1x11xi64>, tensor<1x11xi64>) -> (tensor<f64>, tensor<1x11xi64>, tensor<1x11xi64>)
  return %0, %1, %2 : tensor<f64>, tensor<1x11xi64>, tensor<1x11xi64>
}
