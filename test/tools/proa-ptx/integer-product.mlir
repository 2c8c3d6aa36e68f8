// Products of 8-bit integers, assembled to instructions of tensor cores without a stack frame.
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_80 -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_80 --check --emit=mix | FileCheck %s --check-prefix=MMA
// RUN: proa-opt %s --proa-lower-gpu-kernels="chip=sm_90a contraction=wgmma" -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_90a --check --emit=mix | FileCheck %s --check-prefix=WGMMA
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_100a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_100a --check --emit=mix | FileCheck %s --check-prefix=MMA
// REQUIRES: cuda-assembler, nvdisasm

// MMA: product: IMMA.16832.S8.U8
// MMA: product: LDSM
// WGMMA: product: IGMMA.64x{{[0-9]+}}x32.S8.U8
func.func private @product(%x: tensor<1024x1024xi8>, %y: tensor<1024x1024xui8>) -> tensor<1024x1024xf32> attributes {proa.kernel} {
  %0 = pd.cast %x {dtype = i32} : (tensor<1024x1024xi8>) -> tensor<1024x1024xi32>
  %1 = pd.cast %y {dtype = i32} : (tensor<1024x1024xui8>) -> tensor<1024x1024xi32>
  %2 = pd.matmul %0, %1 {transpose_y = true} : (tensor<1024x1024xi32>, tensor<1024x1024xi32>) -> tensor<1024x1024xi32>
  %3 = pd.cast %2 {dtype = f32} : (tensor<1024x1024xi32>) -> tensor<1024x1024xf32>
  return %3 : tensor<1024x1024xf32>
}
