// Sizes of groups that do not fit end the run, on each device.
// RUN: not proa-run %s --cache off --inputs random:0 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not proa-run %s --cache off --inputs random:0 --target=cuda-emulated 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: {{.*}}grouped-matmul.mlir:{{[0-9]+}}{{.*}}the sizes up to [2] sum to 9, which is more than 7
// RUN: sed 's/\[2, 3, 4\]/[2, -1, 4]/' %s > %t.mlir
// RUN: not proa-run %t.mlir --cache off --inputs random:0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not proa-run %t.mlir --cache off --inputs random:0 --target=cuda-emulated 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}size -1 at [1] is negative
// RUN: sed 's/\[2, 3, 4\]/[2, 9223372036854775807, 4]/' %s > %t.mlir
// RUN: not proa-run %t.mlir --cache off --inputs random:0 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not proa-run %t.mlir --cache off --inputs random:0 --target=cuda-emulated 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: {{.*}}the size at [1] is negative, or the sizes up to it sum to more than 7

// Devices compute the same.
// RUN: sed 's/\[2, 3, 4\]/[2, 0, 4]/' %s > %t.mlir
// RUN: proa-run %t.mlir --cache off --inputs random:0 --outputs %t.safetensors
// RUN: proa-run %t.mlir --cache off --inputs random:0 --target=cuda-emulated --expect=%t.safetensors
func.func @main(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf32>) -> (tensor<7x5xf32>, tensor<3x4x5xf32>) {
  %sizes = pd.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<7x5xf32>
  %1 = pd.grouped_matmul_y_grad %x, %0, %sizes : (tensor<7x4xf32>, tensor<7x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return %0, %1 : tensor<7x5xf32>, tensor<3x4x5xf32>
}
