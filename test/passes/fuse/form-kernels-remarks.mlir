// RUN: proa-opt %s --pd-form-kernels --remarks=pd-form-kernels --verify-diagnostics -o /dev/null

func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{pd-form-kernels: exp+tanh is the kernel 'kernel_0'}}
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.tanh %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

func.func @others(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{pd.matmul is not part of a kernel: the library kernel 'matmul' computes it}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{exp is the kernel 'kernel_1'}}
  %1 = pd.exp %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{pd.reshape is not part of a kernel: }}
  %2 = pd.reshape %1 {shape = array<i64: 4, 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A transpose starts a kernel of its own: all of its operand must exist before. Equal kernels are one function.
func.func @transposed(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // expected-remark @below {{exp is the kernel 'kernel_1'}}
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{transpose is the kernel 'kernel_2'; pd.transpose did not join the kernel of an operand: it permutes or repeats elements}}
  %1 = pd.transpose %0 {perm = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
