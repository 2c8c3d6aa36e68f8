// RUN: proa-opt %s --proa-choose-launch=max-threads=100 --verify-diagnostics

// expected-error@+1 {{max-threads is 100, expected a power of two from 32 to 1024}}
func.func @kernel(%a: memref<4xf32>) attributes {proa.kernel} {
  return
}
