// Kernels of attention with dropout, of whole weights and of parts of them, assembled without spills.
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_80 -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_80 --check --emit=resources | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_90a --check --emit=resources | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_100a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_100a --check --emit=resources | FileCheck %s
// REQUIRES: cuda-assembler, cuda-libdevice

// CHECK-DAG: forward_f16_64 sm_{{.*}}, 0 bytes spilled
func.func private @forward_f16_64(%q: tensor<2x8x256x64xf16>, %c: tensor<2xi64>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %q, %q dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2xi64>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
  return %0#0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: queries_f16_64 sm_{{.*}}, 0 bytes spilled
func.func private @queries_f16_64(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>) -> tensor<2x8x256x64xf16>
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: keys_f16_64 sm_{{.*}}, 0 bytes spilled
func.func private @keys_f16_64(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>)
  return %0#0, %0#1 : tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>
}

// CHECK-DAG: forward_f16_64_part sm_{{.*}}, 0 bytes spilled
func.func private @forward_f16_64_part(%q: tensor<2x8x256x64xf16>, %c: tensor<2xi64>, %b: tensor<4xi64>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %q, %q dropout_call = %c part_begin = %b {dropout_p = 0.1 : f64, whole_shape = array<i64: 4, 16, 256, 256>}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2xi64>, tensor<4xi64>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
  return %0#0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: queries_f16_64_part sm_{{.*}}, 0 bytes spilled
func.func private @queries_f16_64_part(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c part_begin = %b {dropout_p = 0.1 : f64, whole_shape = array<i64: 4, 16, 256, 256>}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>, tensor<4xi64>) -> tensor<2x8x256x64xf16>
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: keys_f16_64_part sm_{{.*}}, 0 bytes spilled
func.func private @keys_f16_64_part(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c part_begin = %b {dropout_p = 0.1 : f64, whole_shape = array<i64: 4, 16, 256, 256>}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>, tensor<4xi64>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>)
  return %0#0, %0#1 : tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>
}

// CHECK-DAG: forward_f32_64 sm_{{.*}}, 0 bytes spilled
func.func private @forward_f32_64(%q: tensor<2x8x256x64xf32>, %c: tensor<2xi64>) -> tensor<2x8x256x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %q, %q dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2xi64>) -> (tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
  return %0#0 : tensor<2x8x256x64xf32>
}

// CHECK-DAG: queries_f32_64 sm_{{.*}}, 0 bytes spilled
func.func private @queries_f32_64(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>) -> tensor<2x8x256x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>) -> tensor<2x8x256x64xf32>
  return %0 : tensor<2x8x256x64xf32>
}

// CHECK-DAG: keys_f32_64 sm_{{.*}}, 0 bytes spilled
func.func private @keys_f32_64(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>) -> (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>) -> (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>)
  return %0#0, %0#1 : tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>
}

// CHECK-DAG: forward_f32_128 sm_{{.*}}, 0 bytes spilled
func.func private @forward_f32_128(%q: tensor<2x8x256x128xf32>, %c: tensor<2xi64>) -> tensor<2x8x256x128xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %q, %q dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2xi64>) -> (tensor<2x8x256x128xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
  return %0#0 : tensor<2x8x256x128xf32>
}

// CHECK-DAG: queries_f32_128 sm_{{.*}}, 0 bytes spilled
func.func private @queries_f32_128(%q: tensor<2x8x256x128xf32>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>) -> tensor<2x8x256x128xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>) -> tensor<2x8x256x128xf32>
  return %0 : tensor<2x8x256x128xf32>
}

// CHECK-DAG: keys_f32_128 sm_{{.*}}, 0 bytes spilled
func.func private @keys_f32_128(%q: tensor<2x8x256x128xf32>, %s: tensor<2x8x256xf32>, %c: tensor<2xi64>) -> (tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2xi64>) -> (tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>)
  return %0#0, %0#1 : tensor<2x8x256x128xf32>, tensor<2x8x256x128xf32>
}
