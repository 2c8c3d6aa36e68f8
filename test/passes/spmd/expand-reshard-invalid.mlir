// RUN: proa-opt %s --dist-expand-reshard=memory-limit=16 --verify-diagnostics
// RUN: not proa-opt %s --dist-expand-reshard=memory-limit=-1 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not proa-opt %s --dist-expand-reshard=links=x:1 2>&1 | FileCheck %s --check-prefix=LINKS
// RUN: not proa-opt %s --dist-expand-reshard=links=x:1:-2 2>&1 | FileCheck %s --check-prefix=LINKS
// RUN: not proa-opt %s --dist-expand-reshard=links=w:1:2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not proa-opt %s --dist-expand-reshard=mesh-link=1e-6 2>&1 | FileCheck %s --check-prefix=MESHLINK
// RUN: not proa-opt %s --dist-expand-reshard=mesh-link=1:0 2>&1 | FileCheck %s --check-prefix=MESHLINK

// LIMIT: dist-expand-reshard: expected a memory-limit of at least 0, found -1
// LINKS: dist-expand-reshard: expected links as AXIS:SECONDS:BYTES_PER_SECOND, found 'x:1
// MESHLINK: dist-expand-reshard: expected a mesh-link as SECONDS:BYTES_PER_SECOND, found '1
// UNKNOWN: dist-expand-reshard: expected links of mesh axes, found 'w', which no mesh has

dist.mesh @m = <["x"=2]>
dist.mesh @next = <["x"=2], devices = [2, 3]>

func.func @limit(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{no sequence of collectives from [{x}, {}] to [{}, {x}] fits 16 bytes per device}}
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

func.func @limit_between_meshes(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{no plan from [{x}, {}] to [{x}, {}] of another mesh fits 16 bytes per device}}
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@next, [{"x"}, {}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

func.func @too_large(%x: tensor<9223372036854775807x2xf32>) -> tensor<9223372036854775807x2xf32> {
  // expected-error @below {{expected a tensor of less than 2^63 bytes}}
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<9223372036854775807x2xf32>
  return %0 : tensor<9223372036854775807x2xf32>
}
