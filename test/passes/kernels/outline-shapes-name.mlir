// RUN: proa-opt %s --proa-outline-shapes --verify-diagnostics

// expected-error@+1 {{its shape function needs the name 'other_shape', which another function has}}
func.func private @other(%x: tensor<?x768xf32>) -> tensor<?x768xf32> attributes {proa.kernel, proa.row_dims = [array<i64: 0, -1>], proa.row_tiles = array<i64: 1>} {
  return %x : tensor<?x768xf32>
}
func.func private @other_shape() {
  return
}
