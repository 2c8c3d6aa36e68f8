// RUN: proa-opt %s --proa-outline-shapes --verify-diagnostics

// expected-error@+1 {{its shape function needs the name 'other_shape', which another function has}}
func.func private @other(%x: tensor<?x768xf32>) -> tensor<?x768xf32> attributes {proa.kernel, proa.rows = #proa.rows<tiles = [1], dims = [[0, -1]]>} {
  return %x : tensor<?x768xf32>
}
func.func private @other_shape() {
  return
}
