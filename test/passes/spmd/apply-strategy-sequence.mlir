// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2,sp | FileCheck %s

// Around the ops that mp splits: their input is whole, their partial result is split along the sequence.
// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = dist.constrain %arg0 to <@mesh, [{}, {}, {}]>
// CHECK: %[[H:.*]] = pd.matmul %[[X]], %arg1
// CHECK: %[[Y:.*]] = pd.matmul %[[H]], %arg2
// CHECK: dist.constrain %[[Y]] to <@mesh, [{}, {"mp"}, {}]>
func.func @main(%x: tensor<2x8x16xf32> {pd.feed = "x"}, %w: tensor<16x64xf32> {pd.param = "w"},
                %v: tensor<64x16xf32> {pd.param = "v"}) -> tensor<2x8x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x8x16xf32>, tensor<16x64xf32>) -> tensor<2x8x64xf32>
  %1 = pd.matmul %0, %v : (tensor<2x8x64xf32>, tensor<64x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
