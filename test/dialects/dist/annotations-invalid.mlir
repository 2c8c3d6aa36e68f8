// Shardings in attributes of functions and ops, which dist.mesh verifies.
// RUN: proa-opt %s --split-input-file --verify-diagnostics

dist.mesh @m = <["dp"=2]>
// expected-error @below {{sharding of argument 0: C3: expected an axis of the mesh, found "dq"; the axes are "dp"}}
func.func @argument(%x: tensor<2x2xf32> {dist.sharding = #dist.sharding<@m, [{"dq"}, {}]>}) {
  return
}

// -----

dist.mesh @m = <["dp"=2]>
// expected-error @below {{sharding of result 1: C3: expected an axis of the mesh, found "dq"}}
func.func @result(%x: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32> {dist.sharding = #dist.sharding<@m, [{"dq"}]>}) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}

// -----

dist.mesh @m = <["dp"=2]>
func.func @op(%x: tensor<2xf32>) {
  // expected-error @below {{'pd.relu' op sharding of result 0: C3: expected a sub-axis of "dp", which has size 2}}
  %0 = pd.relu %x {dist.shardings = [#dist.sharding<@m, [{"dp":(1)4}]>]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

dist.mesh @a = <["dp"=2]>
dist.mesh @b = <["mp"=2]>
// expected-error @below {{sharding of argument 1: C3: expected an axis of the mesh, found "dp"; the axes are "mp"}}
func.func @meshes(%x: tensor<2xf32> {dist.sharding = #dist.sharding<@a, [{"dp"}]>},
                  %y: tensor<2xf32> {dist.sharding = #dist.sharding<@b, [{"dp"}]>}) {
  return
}

// -----

dist.mesh @a = <["dp"=2]>
dist.mesh @b = <["mp"=2]>
// expected-error @below {{sharding of argument 0: C1: expected the symbol of a dist.mesh, found @c}}
func.func @no_mesh(%x: tensor<2xf32> {dist.sharding = #dist.sharding<@c, [{"dp"}]>}) {
  return
}

// -----

// The blocks of a sharding describe the dims of the global type.
dist.mesh @m = <["dp"=2]>
func.func @local(%x: tensor<2xf32> {dist.sharding = #dist.sharding<@m, [{"dp"} blocks(2, 2)]>,
                                    dist.global = tensor<4xf32>}) {
  return
}

// -----

dist.mesh @m = <["dp"=2]>
// expected-error @below {{sharding of argument 0: C5: expected blocks that add up to the dim size 6, found 4}}
func.func @local_blocks(%x: tensor<3xf32> {dist.sharding = #dist.sharding<@m, [{"dp"} blocks(2, 2)]>,
                                           dist.global = tensor<6xf32>}) {
  return
}
