// Kernels of attention with masks of keys beside other masks, assembled without spills.
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_80 -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_80 --check --emit=resources | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_90a --check --emit=resources | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_100a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_100a --check --emit=resources | FileCheck %s
// REQUIRES: cuda-assembler, cuda-libdevice

// CHECK-DAG: forward_addend sm_{{.*}}, 0 bytes spilled
func.func private @forward_addend(%q: tensor<2x8x256x64xf16>, %m: tensor<1x8x256x256xf16>, %n: tensor<2x1x1x256xf16>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0, %1, %2 = pd.fused_attention %q, %q, %q mask = %m key_mask = %n
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<1x8x256x256xf16>, tensor<2x1x1x256xf16>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: queries_addend sm_{{.*}}, 0 bytes spilled
func.func private @queries_addend(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>, %n: tensor<2x1x1x256xf16>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s mask = %m key_mask = %n
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>, tensor<2x1x1x256xf16>) -> tensor<2x8x256x64xf16>
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: keys_addend sm_{{.*}}, 0 bytes spilled
func.func private @keys_addend(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>, %n: tensor<2x1x1x256xf16>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s mask = %m key_mask = %n
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>, tensor<2x1x1x256xf16>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>)
  return %0#0, %0#1 : tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>
}

// CHECK-DAG: forward_condition sm_{{.*}}, 0 bytes spilled
func.func private @forward_condition(%q: tensor<2x8x256x64xf16>, %m: tensor<1x8x256x256xf16>, %n: tensor<2x1x1x256xi1>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0, %1, %2 = pd.fused_attention %q, %q, %q mask = %m key_mask = %n {mask_fill = -1.0e4 : f64}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<1x8x256x256xf16>, tensor<2x1x1x256xi1>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: queries_condition sm_{{.*}}, 0 bytes spilled
func.func private @queries_condition(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>, %n: tensor<2x1x1x256xi1>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s mask = %m key_mask = %n {mask_fill = -1.0e4 : f64}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>, tensor<2x1x1x256xi1>) -> tensor<2x8x256x64xf16>
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: keys_condition sm_{{.*}}, 0 bytes spilled
func.func private @keys_condition(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>, %n: tensor<2x1x1x256xi1>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s mask = %m key_mask = %n {mask_fill = -1.0e4 : f64}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>, tensor<2x1x1x256xi1>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>)
  return %0#0, %0#1 : tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>
}
