// RUN: proa-opt %s --proa-wrap-kernels --verify-diagnostics

llvm.func internal @double_rows(%in: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  llvm.return
}

// expected-error @+1 {{the kernel is wrapped already: the module has 'double_rows'}}
llvm.func @double(%buffers: !llvm.ptr, %dims: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel} {
  llvm.return
}
