// Kernels of the gradients of attention, assembled without spills.
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_80 -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_80 --check --emit=resources | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_90a --check --emit=resources | FileCheck %s
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_100a -o %t.mlir
// RUN: proa-ptx %t.mlir --chip=sm_100a --check --emit=resources | FileCheck %s
// REQUIRES: cuda-assembler, cuda-libdevice

// CHECK-DAG: queries_f16_64 sm_{{.*}}, 0 bytes spilled
func.func private @queries_f16_64(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s {causal = true}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> tensor<2x8x256x64xf16>
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: queries_f16_64_mask sm_{{.*}}, 0 bytes spilled
func.func private @queries_f16_64_mask(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>) -> tensor<2x8x256x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s mask = %m
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>)
      -> tensor<2x8x256x64xf16>
  return %0 : tensor<2x8x256x64xf16>
}

// CHECK-DAG: keys_f16_64 sm_{{.*}}, 0 bytes spilled
func.func private @keys_f16_64(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s {causal = true}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>)
  return %0#0, %0#1 : tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>
}

// CHECK-DAG: keys_f16_64_mask sm_{{.*}}, 0 bytes spilled
func.func private @keys_f16_64_mask(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>) -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s mask = %m
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>)
      -> (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>)
  return %0#0, %0#1 : tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>
}

// CHECK-DAG: scores_f16_64 sm_{{.*}}, 0 bytes spilled
func.func private @scores_f16_64(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>) -> tensor<1x8x256x256xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s {causal = true, sum_batches = true}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}

// CHECK-DAG: scores_f16_64_mask sm_{{.*}}, 0 bytes spilled
func.func private @scores_f16_64_mask(%q: tensor<2x8x256x64xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>) -> tensor<1x8x256x256xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s mask = %m {sum_batches = true}
      : (tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256x64xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>)
      -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}

// CHECK-DAG: queries_f16_128 sm_{{.*}}, 0 bytes spilled
func.func private @queries_f16_128(%q: tensor<2x8x256x128xf16>, %s: tensor<2x8x256xf32>) -> tensor<2x8x256x128xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s {causal = true}
      : (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> tensor<2x8x256x128xf16>
  return %0 : tensor<2x8x256x128xf16>
}

// CHECK-DAG: queries_f16_128_mask sm_{{.*}}, 0 bytes spilled
func.func private @queries_f16_128_mask(%q: tensor<2x8x256x128xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>) -> tensor<2x8x256x128xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s mask = %m
      : (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>)
      -> tensor<2x8x256x128xf16>
  return %0 : tensor<2x8x256x128xf16>
}

// CHECK-DAG: keys_f16_128 sm_{{.*}}, 0 bytes spilled
func.func private @keys_f16_128(%q: tensor<2x8x256x128xf16>, %s: tensor<2x8x256xf32>) -> (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s {causal = true}
      : (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>)
  return %0#0, %0#1 : tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>
}

// CHECK-DAG: keys_f16_128_mask sm_{{.*}}, 0 bytes spilled
func.func private @keys_f16_128_mask(%q: tensor<2x8x256x128xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>) -> (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s mask = %m
      : (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>)
      -> (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>)
  return %0#0, %0#1 : tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>
}

// CHECK-DAG: scores_f16_128 sm_{{.*}}, 0 bytes spilled
func.func private @scores_f16_128(%q: tensor<2x8x256x128xf16>, %s: tensor<2x8x256xf32>) -> tensor<1x8x256x256xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s {causal = true, sum_batches = true}
      : (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}

// CHECK-DAG: scores_f16_128_mask sm_{{.*}}, 0 bytes spilled
func.func private @scores_f16_128_mask(%q: tensor<2x8x256x128xf16>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf16>) -> tensor<1x8x256x256xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s mask = %m {sum_batches = true}
      : (tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256x128xf16>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf16>)
      -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}

// CHECK-DAG: queries_f32_64 sm_{{.*}}, 0 bytes spilled
func.func private @queries_f32_64(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>) -> tensor<2x8x256x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s {causal = true}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> tensor<2x8x256x64xf32>
  return %0 : tensor<2x8x256x64xf32>
}

// CHECK-DAG: queries_f32_64_mask sm_{{.*}}, 0 bytes spilled
func.func private @queries_f32_64_mask(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf32>) -> tensor<2x8x256x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s mask = %m
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf32>)
      -> tensor<2x8x256x64xf32>
  return %0 : tensor<2x8x256x64xf32>
}

// CHECK-DAG: keys_f32_64 sm_{{.*}}, 0 bytes spilled
func.func private @keys_f32_64(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>) -> (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s {causal = true}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>)
  return %0#0, %0#1 : tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>
}

// CHECK-DAG: keys_f32_64_mask sm_{{.*}}, 0 bytes spilled
func.func private @keys_f32_64_mask(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf32>) -> (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s mask = %m
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf32>)
      -> (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>)
  return %0#0, %0#1 : tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>
}

// CHECK-DAG: scores_f32_64 sm_{{.*}}, 0 bytes spilled
func.func private @scores_f32_64(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>) -> tensor<1x8x256x256xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s {causal = true, sum_batches = true}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>)
      -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}

// CHECK-DAG: scores_f32_64_mask sm_{{.*}}, 0 bytes spilled
func.func private @scores_f32_64_mask(%q: tensor<2x8x256x64xf32>, %s: tensor<2x8x256xf32>, %m: tensor<1x8x256x256xf32>) -> tensor<1x8x256x256xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s mask = %m {sum_batches = true}
      : (tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<1x8x256x256xf32>)
      -> tensor<1x8x256x256xf32>
  return %0 : tensor<1x8x256x256xf32>
}
