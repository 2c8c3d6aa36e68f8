// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @temporal_shift
func.func @temporal_shift(%x: tensor<2x4x1x1xf64>) {
  // CHECK: pd.temporal_shift %{{.*}} {seg_num = 2 : i64} : (tensor<2x4x1x1xf64>) -> tensor<2x4x1x1xf64>
  %0 = pd.temporal_shift %x {seg_num = 2 : i64} : (tensor<2x4x1x1xf64>) -> tensor<2x4x1x1xf64>
  return
}
