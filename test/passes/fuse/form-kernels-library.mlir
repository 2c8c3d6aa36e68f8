// A kernel or CUDA's library for a matmul with quantized weights: the library needs another kernel, which writes the
// weights in 16 bits.
// RUN: proa-opt --chip=sm_80 --pd-form-kernels=target=gpu-blas --remarks=pd-form-kernels %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// Few rows: the kernel reads 8 bits of each weight.
// CHECK-LABEL: func.func @few_rows
// CHECK: call @kernel{{.*}}label = "cast+multiply+matmul"
// CHECK-NOT: call
// CHECK: return
// REMARK: cast+multiply+matmul is the kernel 'kernel_0'; estimates: a kernel adds 0.9 us, the library 42.9 us
func.func @few_rows(%x: tensor<8x4096xf16>, %q: tensor<4096x4096xi8>, %s: tensor<4096xf16>) -> tensor<8x4096xf16> {
  %w = pd.cast %q {dtype = f16} : (tensor<4096x4096xi8>) -> tensor<4096x4096xf16>
  %v = pd.multiply %w, %s : (tensor<4096x4096xf16>, tensor<4096xf16>) -> tensor<4096x4096xf16>
  %y = pd.matmul %x, %v : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  return %y : tensor<8x4096xf16>
}

// CHECK-LABEL: func.func @few_rows_f32
// CHECK: call @kernel{{.*}}label = "cast+multiply+matmul"
// CHECK-NOT: call
// CHECK: return
// REMARK: cast+multiply+matmul is the kernel 'kernel_1'; estimates: a kernel adds 13.8 us, the library 75.8 us
func.func @few_rows_f32(%x: tensor<8x4096xf32>, %q: tensor<4096x4096xi8>, %s: tensor<4096xf32>) -> tensor<8x4096xf32> {
  %w = pd.cast %q {dtype = f32} : (tensor<4096x4096xi8>) -> tensor<4096x4096xf32>
  %v = pd.multiply %w, %s : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %y = pd.matmul %x, %v : (tensor<8x4096xf32>, tensor<4096x4096xf32>) -> tensor<8x4096xf32>
  return %y : tensor<8x4096xf32>
}

// Near misses. Many rows: the library's rate is worth the copy.
// CHECK-LABEL: func.func @many_rows
// CHECK: call @kernel{{.*}}label = "cast+multiply"
// CHECK: pd.matmul
// REMARK: the library kernel 'matmul' computes it; estimates: a kernel adds 440.7 us, the library 42.9 us
// REMARK: cast+multiply is the kernel 'kernel_2'
func.func @many_rows(%x: tensor<4096x4096xf16>, %q: tensor<4096x4096xi8>, %s: tensor<4096xf16>) -> tensor<4096x4096xf16> {
  %w = pd.cast %q {dtype = f16} : (tensor<4096x4096xi8>) -> tensor<4096x4096xf16>
  %v = pd.multiply %w, %s : (tensor<4096x4096xf16>, tensor<4096xf16>) -> tensor<4096x4096xf16>
  %y = pd.matmul %x, %v : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %y : tensor<4096x4096xf16>
}

// Weights of 16 bits, and weights that another op reads too: nothing is converted for the library alone.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: call
// CHECK: pd.matmul
// REMARK: the library kernel 'matmul' computes it; estimates: a kernel adds 13.8 us, the library 9.0 us
func.func @wide(%x: tensor<8x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  %y = pd.matmul %x, %w : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  return %y : tensor<8x4096xf16>
}

// CHECK-LABEL: func.func @used_twice
// CHECK: call @kernel{{.*}}label = "cast"
// CHECK: pd.matmul
// REMARK: the library kernel 'matmul' computes it; estimates: a kernel adds 13.8 us, the library 9.0 us
func.func @used_twice(%x: tensor<8x4096xf16>, %q: tensor<4096x4096xi8>) -> (tensor<8x4096xf16>, tensor<4096x4096xf16>) {
  %w = pd.cast %q {dtype = f16} : (tensor<4096x4096xi8>) -> tensor<4096x4096xf16>
  %y = pd.matmul %x, %w : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  return %y, %w : tensor<8x4096xf16>, tensor<4096x4096xf16>
}
