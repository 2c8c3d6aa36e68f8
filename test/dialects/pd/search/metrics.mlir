// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @measured
func.func @measured(%x: tensor<8x1xi64>, %o: tensor<3xi64>, %p: tensor<8x1xf32>, %s: tensor<3x4xf32>) -> (tensor<1xf32>, tensor<6xf64>) {
  // CHECK: pd.chunk_eval %{{.*}}, %{{.*}} offsets = %{{.*}} -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  %0:6 = pd.chunk_eval %x, %x offsets = %o {num_chunk_types = 3 : i64, chunk_scheme = "IOE"} : (tensor<8x1xi64>, tensor<8x1xi64>, tensor<3xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  // CHECK: pd.precision_recall %{{.*}} states = %{{.*}} -> (tensor<6xf64>, tensor<6xf64>, tensor<3x4xf32>)
  %1:3 = pd.precision_recall %p, %x, %x states = %s {class_number = 3 : i64} : (tensor<8x1xf32>, tensor<8x1xi64>, tensor<8x1xi64>, tensor<3x4xf32>) -> (tensor<6xf64>, tensor<6xf64>, tensor<3x4xf32>)
  return %0#0, %1#0 : tensor<1xf32>, tensor<6xf64>
}

// -----

func.func @chunks_c1(%x: tensor<8x1xi64>) {
  // expected-error@+2 {{C1: num_chunk_types must be positive, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:6 = "pd.chunk_eval"(%x, %x) {num_chunk_types = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<8x1xi64>, tensor<8x1xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  return
}

// -----

func.func @classes_c1(%p: tensor<8x1xf32>, %x: tensor<8x1xi64>) {
  // expected-error@+2 {{C1: class_number must be positive, found -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.precision_recall"(%p, %x, %x) {class_number = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<8x1xf32>, tensor<8x1xi64>, tensor<8x1xi64>) -> (tensor<6xf64>, tensor<6xf64>, tensor<3x4xf32>)
  return
}
