// The time of a matmul follows the types in which its operands are stored: 8-bit floats have twice the rate of bfloat16
// by wgmma, and on a CPU float64 has half the rate of float32.
// RUN: proa-opt %s --proa-set-target=gpu=sm_90a "--dist-decompose-rings=use=by-cost overlaps=false" --remarks=dist-decompose-rings -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: proa-opt %s --proa-set-target=gpu=sm_89 "--dist-decompose-rings=use=by-cost overlaps=false" --remarks=dist-decompose-rings -o /dev/null 2>&1 | FileCheck %s --check-prefix=MMA
// RUN: proa-opt %s --proa-set-target=cpu=avx2 "--dist-decompose-rings=use=by-cost overlaps=false" --remarks=dist-decompose-rings -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
dist.mesh @m = <["x"=2]>

// 1.374e11 operations: 144.8 us of 949 TFLOP/s. A message of 2 MiB takes 9.7 us.
// GPU: stays: {{.*}}, 154.5 us and 4.00 MiB with a gather
// MMA: stays: {{.*}}, 464.0 us and 4.00 MiB with a gather
// CPU: stays: {{.*}}, 1718201.6 us and 4.00 MiB with a gather
func.func @bf16(%x: tensor<1024x65536xbf16>, %w: tensor<65536x1024xbf16>) -> tensor<512x1024xf32> {
  %a = pd.cast %x {dtype = f32} : (tensor<1024x65536xbf16>) -> tensor<1024x65536xf32>
  %b = pd.cast %w {dtype = f32} : (tensor<65536x1024xbf16>) -> tensor<65536x1024xf32>
  %0 = pd.matmul %a, %b : (tensor<1024x65536xf32>, tensor<65536x1024xf32>) -> tensor<1024x1024xf32>
  %1 = dist.reduce_scatter %0 of tensor<1024x1024xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<1024x1024xf32> -> tensor<512x1024xf32>
  return %1 : tensor<512x1024xf32>
}

// Half of 144.8 us. mma.sync, which sm_89 has, multiplies them as f16. A CPU multiplies them as float32.
// GPU: stays: {{.*}}, 82.1 us and 4.00 MiB with a gather
// MMA: stays: {{.*}}, 464.0 us and 4.00 MiB with a gather
// CPU: stays: {{.*}}, 1718201.6 us and 4.00 MiB with a gather
func.func @f8(%x: tensor<1024x65536xf8E4M3FN>, %w: tensor<65536x1024xf8E4M3FN>) -> tensor<512x1024xf32> {
  %a = pd.cast %x {dtype = f32} : (tensor<1024x65536xf8E4M3FN>) -> tensor<1024x65536xf32>
  %b = pd.cast %w {dtype = f32} : (tensor<65536x1024xf8E4M3FN>) -> tensor<65536x1024xf32>
  %0 = pd.matmul %a, %b : (tensor<1024x65536xf32>, tensor<65536x1024xf32>) -> tensor<1024x1024xf32>
  %1 = dist.reduce_scatter %0 of tensor<1024x1024xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<1024x1024xf32> -> tensor<512x1024xf32>
  return %1 : tensor<512x1024xf32>
}

// Near miss: one operand is stored in float32, which takes 2317.5 us of 59.3 TFLOP/s.
// GPU: stays: {{.*}}, 2327.2 us and 4.00 MiB with a gather
// MMA: stays: {{.*}}, 1589.2 us and 4.00 MiB with a gather
// CPU: stays: {{.*}}, 1718201.6 us and 4.00 MiB with a gather
func.func @mixed(%a: tensor<1024x65536xf32>, %w: tensor<65536x1024xf8E4M3FN>) -> tensor<512x1024xf32> {
  %b = pd.cast %w {dtype = f32} : (tensor<65536x1024xf8E4M3FN>) -> tensor<65536x1024xf32>
  %0 = pd.matmul %a, %b : (tensor<1024x65536xf32>, tensor<65536x1024xf32>) -> tensor<1024x1024xf32>
  %1 = dist.reduce_scatter %0 of tensor<1024x1024xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<1024x1024xf32> -> tensor<512x1024xf32>
  return %1 : tensor<512x1024xf32>
}

// Twice as long as float32 on a CPU.
// GPU: stays: {{.*}}, 4649.3 us and 8.00 MiB with a gather
// MMA: stays: {{.*}}, 96192.6 us and 8.00 MiB with a gather
// CPU: stays: {{.*}}, 3436398.3 us and 8.00 MiB with a gather
func.func @f64(%a: tensor<1024x65536xf64>, %b: tensor<65536x1024xf64>) -> tensor<512x1024xf64> {
  %0 = pd.matmul %a, %b : (tensor<1024x65536xf64>, tensor<65536x1024xf64>) -> tensor<1024x1024xf64>
  %1 = dist.reduce_scatter %0 of tensor<1024x1024xf64> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<1024x1024xf64> -> tensor<512x1024xf64>
  return %1 : tensor<512x1024xf64>
}
