// RUN: proa-opt %s --dist-propagate --split-input-file --verify-diagnostics

// All errors of annotations are reported.
dist.mesh @m = <["x"=2, "y"=2]>
// expected-error @below {{sharding of argument 0: C3: expected an axis of the mesh, found "z"; the axes are "x" "y"}}
// expected-error @below {{sharding of argument 1: C5: expected blocks that add up to the dim size 8, found 6}}
// expected-error @below {{sharding of result 0: C3: expected an axis of the mesh, found "u"}}
func.func @annotations(%a: tensor<8x8xf32> {pd.feed = "a", dist.sharding = #dist.sharding<@m, [{"z"}, {}]>},
    %b: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"} blocks(4, 2), {}]>})
    -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"u"}, {}]>}) {
  // expected-error @below {{sharding of result 0: C3: expected an axis of the mesh, found "v"}}
  %0 = pd.add %a, %b {dist.shardings = [#dist.sharding<@m, [{"v"}, {}]>]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
// expected-error @below {{sharding of result 0 ('w'): expected the sharding of the parameter, [{x}, {}], found [{}, {x}]}}
func.func @state(%w: tensor<8x8xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}) {
  return %w : tensor<8x8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
dist.mesh @n = <["x"=2], devices = [2, 3]>
// expected-error @below {{sharding of result 0 ('w'): expected the mesh @m, found @n}}
func.func @meshes(%a: tensor<8xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{"x"}]>})
    -> (tensor<8xf32> {pd.state = "w", dist.sharding = #dist.sharding<@n, [{"x"}]>}) {
  return %a : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
dist.mesh @n = <["x"=2], devices = [2, 3]>
func.func @results(%a: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{sharding of result 1: expected the mesh @m, found @n}}
  %0:2 = pd.split %a {axis = 0 : i64, num = 2 : i64, dist.shardings = [#dist.sharding<@m, [{"x"}]>, #dist.sharding<@n, [{"x"}]>]} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

module {
  // expected-error @below {{sharding of argument 0: expected a dist.mesh @m, found none}}
  func.func @no_mesh(%a: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) {
    return
  }
}

// -----

// expected-error @below {{expected a dist.mesh or an annotation that names one, found 0 meshes and no annotation}}
module {
  func.func @nothing(%a: tensor<8xf32>) {
    return
  }
}

// -----

dist.mesh @m = <["x"=2]>
func.func @local(%a: tensor<8xf32>) {
  // expected-error @below {{'dist.to_local' op is of the local form; expected ops of the global form}}
  %0 = dist.to_local %a with <@m, [{"x"}]> : tensor<8xf32> -> tensor<4xf32>
  %1 = pd.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}
