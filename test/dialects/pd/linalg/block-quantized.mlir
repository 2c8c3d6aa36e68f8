// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=FORMULA

// CHECK-LABEL: @matmul
// FORMULA-LABEL: @matmul
func.func @matmul(%x: tensor<2x5x40xf32>, %c: tensor<6x24xui8>, %s: tensor<3x6xf32>, %z: tensor<3x6xf32>,
                  %d: tensor<?x40xf16>, %b: tensor<6x48xui8>) {
  // CHECK: pd.block_quantized_matmul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {block_size = 16 : i64} : (tensor<2x5x40xf32>, tensor<6x24xui8>, tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<2x5x6xf32>
  // FORMULA: pd.matmul {{.*}} {transpose_y = true} : (tensor<2x5x40xf32>, tensor<6x40xf32>) -> tensor<2x5x6xf32>
  %0 = pd.block_quantized_matmul %x, %c, %s, %z {block_size = 16} : (tensor<2x5x40xf32>, tensor<6x24xui8>, tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<2x5x6xf32>
  // CHECK: pd.block_quantized_matmul {{.*}}{bits = 8 : i64, block_size = 16 : i64} {{.*}} -> tensor<?x6xf16>
  // FORMULA: pd.matmul {{.*}} {transpose_y = true} : (tensor<?x40xf16>, tensor<6x40xf16>) -> tensor<?x6xf16>
  %1 = pd.block_quantized_matmul %d, %b, %s {bits = 8, block_size = 16} : (tensor<?x40xf16>, tensor<6x48xui8>, tensor<3x6xf32>) -> tensor<?x6xf16>
  return
}
