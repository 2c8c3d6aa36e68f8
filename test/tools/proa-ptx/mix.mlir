// The instructions of generated kernels: accesses of 16 bytes in elementwise kernels and along rows of reductions, and
// tensor cores in products of float16, and of float32 where TF32 is allowed.
// RUN: proa-opt %s --proa-lower-gpu-kernels -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_80 --check --emit=mix | FileCheck %s --implicit-check-not="add: LDG.E.CONSTANT" --implicit-check-not="add: STG.E{{ }}"
// RUN: proa-ptx %t.mlir --chip=sm_90a --check --emit=mix | FileCheck %s --implicit-check-not="add: LDG.E.CONSTANT" --implicit-check-not="add: STG.E{{ }}"
// REQUIRES: cuda-assembler, cuda-libdevice, nvdisasm

// CHECK-DAG: add: LDG.E.128
// CHECK-DAG: add: STG.E.128
// CHECK-DAG: softmax: LDG.E.128
// CHECK-DAG: softmax: STG.E.128
// CHECK-DAG: softmax: SHFL.BFLY
// CHECK-DAG: product: {{HMMA|HGMMA}}
// CHECK-DAG: product: {{LDGSTS|UTMALDG}}
// CHECK-DAG: product: LDSM
// CHECK-DAG: product_tf32: HMMA.1688.F32.TF32

func.func private @add(%x: tensor<4096x1024xf32>, %y: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> attributes {proa.kernel} {
  %z = pd.add %x, %y : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %z : tensor<4096x1024xf32>
}

func.func private @softmax(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> attributes {proa.kernel} {
  %max = pd.max %x {axis = array<i64: 1>, keepdim = true} : (tensor<4096x1024xf32>) -> tensor<4096x1xf32>
  %shifted = pd.subtract %x, %max : (tensor<4096x1024xf32>, tensor<4096x1xf32>) -> tensor<4096x1024xf32>
  %exp = pd.exp %shifted : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %sum = pd.sum %exp {axis = array<i64: 1>, keepdim = true} : (tensor<4096x1024xf32>) -> tensor<4096x1xf32>
  %result = pd.divide %exp, %sum : (tensor<4096x1024xf32>, tensor<4096x1xf32>) -> tensor<4096x1024xf32>
  return %result : tensor<4096x1024xf32>
}

func.func private @product(%x: tensor<512x512xf16>, %y: tensor<512x512xf16>) -> tensor<512x512xf16> attributes {proa.kernel} {
  %z = pd.matmul %x, %y : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %z : tensor<512x512xf16>
}

func.func private @product_tf32(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {proa.kernel, proa.tf32} {
  %z = pd.matmul %x, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %z : tensor<512x512xf32>
}
