// Kernels of products of groups of rows have no spills, and use the tensor cores of the chip.
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_80 | proa-ptx - --chip=sm_80 --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_100a | proa-ptx - --chip=sm_100a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a | FileCheck %s --check-prefix=PTX
// REQUIRES: cuda-assembler

// CHECK-DAG: prefill {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: decode {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: gradient {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: single {{.*}} 0 bytes stack, 0 bytes spilled
// PTX-LABEL: .entry prefill
// PTX: cp.async.bulk.tensor.3d
// PTX: wgmma.mma_async
// PTX-LABEL: .entry gradient
// PTX: cp.async.cg.shared.global
// PTX: mma.sync
func.func private @prefill(%x: tensor<4096x2048xbf16>, %y: tensor<8x2048x4096xbf16>, %n: tensor<8xi64>) -> tensor<4096x4096xbf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul %x, %y, %n : (tensor<4096x2048xbf16>, tensor<8x2048x4096xbf16>, tensor<8xi64>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

func.func private @decode(%x: tensor<16x2048xbf16>, %y: tensor<64x2048x4096xbf16>, %n: tensor<64xi64>) -> tensor<16x4096xbf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul %x, %y, %n : (tensor<16x2048xbf16>, tensor<64x2048x4096xbf16>, tensor<64xi64>) -> tensor<16x4096xbf16>
  return %0 : tensor<16x4096xbf16>
}

func.func private @gradient(%x: tensor<4096x2048xbf16>, %g: tensor<4096x4096xbf16>, %n: tensor<8xi64>) -> tensor<8x2048x4096xbf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul_y_grad %x, %g, %n : (tensor<4096x2048xbf16>, tensor<4096x4096xbf16>, tensor<8xi64>) -> tensor<8x2048x4096xbf16>
  return %0 : tensor<8x2048x4096xbf16>
}

func.func private @single(%x: tensor<4096x2048xf32>, %y: tensor<8x4096x2048xf32>, %n: tensor<8xi64>) -> tensor<4096x4096xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul %x, %y, %n {transpose_y = true} : (tensor<4096x2048xf32>, tensor<8x4096x2048xf32>, tensor<8xi64>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
