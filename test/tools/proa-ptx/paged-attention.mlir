// Kernels of attention over a paged cache have no spills, and copy 16 bytes at once.
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_80 | proa-ptx - --chip=sm_80 --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_100a | proa-ptx - --chip=sm_100a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a | FileCheck %s --check-prefix=PTX --implicit-check-not=cp.async.ca
// REQUIRES: cuda-assembler

// CHECK-DAG: half {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: short {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: single {{.*}} 0 bytes stack, 0 bytes spilled
// PTX-COUNT-90: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
func.func private @half(%q: tensor<8x32x128xf16>, %k: tensor<999x8x16x128xf16>, %t: tensor<8x256xi32>, %n: tensor<8xi32>)
    -> tensor<8x32x128xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<8x32x128xf16>, tensor<999x8x16x128xf16>,
      tensor<999x8x16x128xf16>, tensor<8x256xi32>, tensor<8xi32>) -> tensor<8x32x128xf16>
  return %0 : tensor<8x32x128xf16>
}

func.func private @short(%q: tensor<300x8x64xbf16>, %k: tensor<999x8x64x64xbf16>, %t: tensor<300x64xi32>,
    %n: tensor<300xi32>) -> tensor<300x8x64xbf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<300x8x64xbf16>, tensor<999x8x64x64xbf16>,
      tensor<999x8x64x64xbf16>, tensor<300x64xi32>, tensor<300xi32>) -> tensor<300x8x64xbf16>
  return %0 : tensor<300x8x64xbf16>
}

func.func private @single(%q: tensor<8x32x128xf32>, %k: tensor<999x8x16x128xf32>, %t: tensor<8x256xi32>, %n: tensor<8xi32>)
    -> tensor<8x32x128xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<8x32x128xf32>, tensor<999x8x16x128xf32>,
      tensor<999x8x16x128xf32>, tensor<8x256xi32>, tensor<8xi32>) -> tensor<8x32x128xf32>
  return %0 : tensor<8x32x128xf32>
}
