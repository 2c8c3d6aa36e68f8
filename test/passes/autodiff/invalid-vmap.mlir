// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-vmap=size=3

func.func @counts(%x: tensor<4xf32>) -> tensor<?x1xi64> {
  // expected-error @+1 {{'pd.nonzero' cannot be batched: the dims of its results depend on data and may differ from example to example}}
  %y = pd.nonzero %x : (tensor<4xf32>) -> tensor<?x1xi64>
  return %y : tensor<?x1xi64>
}

// -----

// expected-error @+1 {{no argument has a dimension for the examples}}
func.func @nothing() -> tensor<f32> {
  %c = pd.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}

// -----

// The dims of the operands are not what is missing, but nothing says so before they are known.
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?x1xi64> {
  // expected-error @+1 {{'pd.nonzero' cannot be batched: its operands have dynamic dims, and the dims of its results may depend on data; make the types of the function's arguments static before batching}}
  %y = pd.nonzero %x : (tensor<?xf32>) -> tensor<?x1xi64>
  return %y : tensor<?x1xi64>
}

// -----

// A future of all examples has no type.
dist.mesh @m = <["x"=2]>
func.func @started(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dist.all_gather' cannot be batched: it has no batching rule, and a value of type !dist.future<tensor<8xf32>> has no batched form}}
  %f = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> !dist.future<tensor<8xf32>>
  %y = dist.wait %f : !dist.future<tensor<8xf32>> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @sharded(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'dist.shardings' names @m, expected the symbol of a dist.mesh}}
  %y = pd.exp %x {dist.shardings = [#dist.sharding<@m, [{"x"}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

dist.mesh @m = <["x"=2]>

func.func @axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{sharding of result 0: C3: expected an axis of the mesh, found "v"; the axes are "x"}}
  %y = pd.exp %x {dist.shardings = [#dist.sharding<@m, [{"v"}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @count(%x: tensor<2xf64>) -> index {
  %0 = arith.constant 0 : index
  // expected-error @+1 {{a result of type 'index' has no batched form}}
  return %0 : index
}

// -----

func.func @counts_of_indices(%x: tensor<2xf64>) -> tensor<4xindex> {
  %0 = arith.constant dense<0> : tensor<4xindex>
  // expected-error @+1 {{a result of type 'tensor<4xindex>' has no batched form}}
  return %0 : tensor<4xindex>
}
