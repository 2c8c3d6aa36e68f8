// RUN: proa-opt %s --pd-decompose=only=relu | FileCheck %s --check-prefix=ONLY
// RUN: proa-opt %s --pd-decompose=except=pd.relu | FileCheck %s --check-prefix=EXCEPT
// RUN: proa-opt %s --pd-decompose=target=cpu | FileCheck %s --check-prefix=CPU
// RUN: not proa-opt %s --pd-decompose=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not proa-opt %s --pd-decompose=only=pd.relo 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// TARGET: Cannot find option named 'tpu'!
// UNKNOWN: error: there is no op 'pd.relo' to be decomposed or left

// ONLY-LABEL: func @f(
// EXCEPT-LABEL: func @f(
// CPU-LABEL: func @f(
func.func @f(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  // ONLY: pd.maximum
  // EXCEPT: pd.relu
  // CPU: pd.maximum
  %0 = pd.relu %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // ONLY: pd.bmm
  // EXCEPT: pd.matmul
  // CPU: pd.matmul
  %1 = pd.unsqueeze %0 {axis = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
  %2 = pd.unsqueeze %s {axis = array<i64: 0, 2>} : (tensor<4xf32>) -> tensor<1x4x1xf32>
  %3 = pd.bmm %1, %2 : (tensor<1x2x4xf32>, tensor<1x4x1xf32>) -> tensor<1x2x1xf32>
  %4 = pd.squeeze %3 {axis = array<i64: 0>} : (tensor<1x2x1xf32>) -> tensor<2x1xf32>
  %5 = pd.add %4, %b : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %5 : tensor<2x4xf32>
}
