// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @deformable_conv
func.func @deformable_conv(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // CHECK: pd.deformable_conv {{.*}} -> tensor<2x6x4x5xf32>
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}
