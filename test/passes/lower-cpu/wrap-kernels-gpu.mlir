// Kernels for a GPU have other parameters than those that the runtime calls.
// RUN: proa-opt %s --proa-wrap-kernels --verify-diagnostics

// expected-error@+1 {{'kernel' is a kernel for a GPU, expected kernels for the CPU}}
llvm.func @kernel(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  llvm.return
}
