// --cuda-libraries: which libraries of CUDA the machine with the device has.
// REQUIRES: cuda-assembler
// RUN: proa-compile %s -o %t.plan --emit=plan --target=cuda --chips=sm_90a
// RUN: grep -c cublaslt %t.plan
// RUN: proa-compile %s -o %t.plan --emit=plan --target=cuda --chips=sm_90a --cuda-libraries=cublaslt
// RUN: grep -c cublaslt %t.plan
// RUN: proa-compile %s -o %t.plan --emit=plan --target=cuda --chips=sm_90a --cuda-libraries=cudnn
// RUN: not grep -c cublaslt %t.plan
// RUN: proa-compile %s -o %t.plan --emit=plan --target=cuda --chips=sm_90a --cuda-libraries=none
// RUN: not grep -c cublaslt %t.plan

// RUN: not proa-compile %s -o %t.plan --emit=plan --target=cuda --cuda-libraries=none,cudnn 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --cuda-libraries: found none with other libraries, expected none alone
// RUN: not proa-compile %s -o %t.plan --emit=plan --cuda-libraries=none 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: --cuda-libraries: requires --target=cuda
// RUN: not proa-compile %s -o %t.plan --emit=plan --target=cuda --cuda-libraries=mkl 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: --cuda-libraries: mkl not in {cublaslt,cudnn,cufft,cusolver,nccl,none}

func.func @main(%x: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %y = pd.matmul %x, %x : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %y : tensor<1024x1024xbf16>
}
