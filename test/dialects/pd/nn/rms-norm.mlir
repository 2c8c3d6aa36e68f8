// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @rms_norm
func.func @rms_norm(%x: tensor<2x3x6x6xf16>, %s: tensor<6xf16>) {
  // CHECK: pd.rms_norm {{.*}} -> (tensor<2x3x6x6xf16>, tensor<2x3x6xf32>)
  %0:2 = pd.rms_norm %x, %s {normalized_shape = array<i64: 6>} : (tensor<2x3x6x6xf16>, tensor<6xf16>) -> (tensor<2x3x6x6xf16>, tensor<2x3x6xf32>)
  return
}
