// RUN: proa-opt %s --proa-lower-kernels --remarks=proa-.* -o /dev/null 2>&1 | FileCheck %s

// CHECK-DAG: remark: proa-extract-kernels: kept 1 kernels and removed 1 other ops
// CHECK-DAG: remark: proa-store-as-bytes: stores 2 tensors of booleans and 8-bit floats as bytes
// CHECK-DAG: remark: proa-fuse-elementwise: the operation is not fused into its consumer: it is a reduction
// CHECK-DAG: remark: proa-collapse-loops: no loops are merged
// CHECK-DAG: remark: proa-choose-rows: a row is a tile of {{[0-9]+}} elements; {{[0-9]+}} ns on one thread (estimate)
// CHECK-DAG: remark: proa-tile-rows: {{[0-9]+}} operations compute only the slice that a row needs
// CHECK-DAG: remark: proa-place-scratch: the buffer is on the stack: {{[0-9]+}} bytes

func.func @other() {
  return
}

func.func private @kernel(%x: tensor<64x48xf32>) -> (tensor<64x48xi1>, tensor<64x1xf32>) attributes {proa.kernel} {
  %0 = pd.exp %x : (tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = pd.sum %0 {axis = array<i64: 1>, keepdim = true} : (tensor<64x48xf32>) -> tensor<64x1xf32>
  %2 = pd.less_than %0, %1 : (tensor<64x48xf32>, tensor<64x1xf32>) -> tensor<64x48xi1>
  return %2, %1 : tensor<64x48xi1>, tensor<64x1xf32>
}
