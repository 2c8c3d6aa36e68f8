// RUN: proa-opt %s --split-input-file --verify-diagnostics --dist-lower-collectives

dist.mesh @m = <["x"=2]>
func.func @global_form(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dist.reshard' op is of the global form; expected ops on local tensors}}
  %0 = dist.reshard %x from <@m, [{"x"}]> to <@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
dist.mesh @next = <["x"=2], devices = [2, 3]>
func.func @partial(%x: tensor<8xf32>) {
  // expected-error @+1 {{'dist.send' op cannot move a partial value to another mesh}}
  dist.send %x of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@next, [{"x"}]> channel 0 : tensor<8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2]>
dist.mesh @next = <["x"=2], devices = [2, 3]>
func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{'dist.send' op cannot move a value with a dynamic dim to another mesh, found 'tensor<?xf32>'}}
  dist.send %x of tensor<?xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 0 : tensor<?xf32>
  return
}

// -----

func.func @future(%x: !dist.future<tensor<8xf32>>) -> tensor<8xf32> {
  // expected-error @+1 {{'dist.wait' op waits for a future that no collective of this function gives}}
  %0 = dist.wait %x : !dist.future<tensor<8xf32>> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
dist.mesh @next = <["x"=2], devices = [4, 5]>
func.func @returned(%x: tensor<4xf32>) -> !dist.future<> {
  %0 = dist.send %x of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 3 : tensor<4xf32> -> !dist.future<>
  // expected-error @below {{uses the future of a dist.send; expected dist.wait}}
  return %0 : !dist.future<>
}

// -----

dist.mesh @m = <["x"=2]>
func.func @checkpoint(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = pd.checkpoint(%x : tensor<4xf32>) : tensor<8xf32> {
  ^bb0(%y: tensor<4xf32>):
    // expected-error @below {{is in pd.checkpoint, whose ops have no effects; expected the decomposition of that op}}
    %1 = dist.all_gather %y of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> tensor<8xf32>
    pd.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
