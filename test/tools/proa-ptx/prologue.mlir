// Products of quantized weights have no spills: prefill, decoding, and weights stored by rows.
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_80 | proa-ptx - --chip=sm_80 --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_100a | proa-ptx - --chip=sm_100a --emit=resources --check | FileCheck %s
// REQUIRES: cuda-assembler

// CHECK-DAG: prefill {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: decode {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: rows {{.*}} 0 bytes stack, 0 bytes spilled
func.func private @prefill(%x: tensor<512x4096xf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096xf16>) -> tensor<512x4096xf16> attributes {proa.kernel} {
  %a = pd.cast %w {dtype = f16} : (tensor<4096x4096xi8>) -> tensor<4096x4096xf16>
  %b = pd.multiply %a, %s : (tensor<4096x4096xf16>, tensor<4096xf16>) -> tensor<4096x4096xf16>
  %0 = pd.matmul %x, %b : (tensor<512x4096xf16>, tensor<4096x4096xf16>) -> tensor<512x4096xf16>
  return %0 : tensor<512x4096xf16>
}

func.func private @decode(%x: tensor<8x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096xbf16>) -> tensor<8x4096xbf16> attributes {proa.kernel} {
  %a = pd.cast %w {dtype = bf16} : (tensor<4096x4096xi8>) -> tensor<4096x4096xbf16>
  %b = pd.multiply %a, %s : (tensor<4096x4096xbf16>, tensor<4096xbf16>) -> tensor<4096x4096xbf16>
  %0 = pd.matmul %x, %b : (tensor<8x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8x4096xbf16>
  return %0 : tensor<8x4096xbf16>
}

func.func private @rows(%x: tensor<64x4096xf16>, %w: tensor<1024x4096xi8>, %s: tensor<1024x1xf16>) -> tensor<64x1024xf16> attributes {proa.kernel} {
  %a = pd.cast %w {dtype = f16} : (tensor<1024x4096xi8>) -> tensor<1024x4096xf16>
  %b = pd.multiply %a, %s : (tensor<1024x4096xf16>, tensor<1024x1xf16>) -> tensor<1024x4096xf16>
  %0 = pd.matmul %x, %b {transpose_y = true} : (tensor<64x4096xf16>, tensor<1024x4096xf16>) -> tensor<64x1024xf16>
  return %0 : tensor<64x1024xf16>
}
