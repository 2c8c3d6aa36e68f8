// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{C1: expected block arguments of the types of the inputs}}
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf64>):
    %e = pd.cast %a {dtype = f32} : (tensor<4xf64>) -> tensor<4xf32>
    pd.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @random(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{C2: expected ops without effects, found 'pd.uniform'}}
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %u = pd.uniform {shape = array<i64: 4>, dtype = f32} : () -> tensor<4xf32>
    %e = pd.multiply %a, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pd.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{C2: expected ops without effects, found 'pd.uniform'}}
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %d = pd.vjp(%a : tensor<4xf32>) cotangents(%a : tensor<4xf32>)
        {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %u = pd.uniform {shape = array<i64: 4>, dtype = f32} : () -> tensor<4xf32>
      %e = pd.multiply %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      pd.yield %e : tensor<4xf32>
    }
    pd.yield %d : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @binomial_schedule_c1(%n: tensor<2xi64>) {
  // expected-error@+1 {{C1: iterations must have one element, found 2}}
  %0:2 = "pd.binomial_schedule"(%n) <{snapshots = 2 : i64}> : (tensor<2xi64>) -> (tensor<?xi64>, tensor<?xi64>)
  return
}

// -----

func.func @binomial_schedule_c2(%n: tensor<i64>) {
  // expected-error@+1 {{C2: snapshots must be positive, found 0}}
  %0:2 = "pd.binomial_schedule"(%n) <{snapshots = 0 : i64}> : (tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>)
  return
}

// -----

func.func @barrier_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "pd.optimization_barrier"(%a0) : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @optimization_barrier_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  %0 = pd.optimization_barrier %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @checkpoint_c3(%x: tensor<4xf32>) -> tensor<4xf64> {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf64>'}}
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf64> {
  ^bb0(%a: tensor<4xf32>):
    pd.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf64>
}
