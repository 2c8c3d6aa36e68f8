// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @bincount_c1(%a0: tensor<2x3xi64>) {
  // expected-error@+1 {{C1: x must have rank 1, found rank 2}}
  %0 = "pd.bincount"(%a0) : (tensor<2x3xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @bincount_c2(%a0: tensor<2xi64>, %a1: tensor<3xf32>) {
  // expected-error@+1 {{C2: weights must have the dimensions of x}}
  %0 = "pd.bincount"(%a0, %a1) : (tensor<2xi64>, tensor<3xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @bincount_c3(%a0: tensor<2xi64>) {
  // expected-error@+1 {{C3: minlength must not be negative, found -1}}
  %0 = "pd.bincount"(%a0) <{minlength = -1 : i64}> : (tensor<2xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @unique_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:4 = "pd.unique"(%a0) <{axis = array<i64: 2>}> : (tensor<2x3xf32>) -> (tensor<?x3xf32>, tensor<?xi64>, tensor<2xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_c1_two(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must have at most one entry, found 2}}
  %0:3 = "pd.unique_consecutive"(%a0) <{axis = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> (tensor<?x3xf32>, tensor<2xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?xf32>', 'tensor<6xi64>', 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?xf64>', 'tensor<6xi64>', 'tensor<?xi64>'}}
  %0:3 = "pd.unique_consecutive"(%a0) : (tensor<2x3xf32>) -> (tensor<?xf64>, tensor<6xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_with_counts_c1(%a0: tensor<6xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?xf32>', 'tensor<6xi64>', 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?xf64>', 'tensor<6xi64>', 'tensor<?xi64>'}}
  %0:3 = "pd.unique_with_counts"(%a0) : (tensor<6xf32>) -> (tensor<?xf64>, tensor<6xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_with_counts_c2(%a0: tensor<6xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?xf32>', 'tensor<6xi64>', 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?xf32>', 'tensor<5xi64>', 'tensor<?xi64>'}}
  %0:3 = "pd.unique_with_counts"(%a0) : (tensor<6xf32>) -> (tensor<?xf32>, tensor<5xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_consecutive_c1(%x: tensor<9xi64>) {
  // expected-error@+1 {{C1: axis must be in [-1, 1), found 1}}
  %0:3 = pd.unique_consecutive %x {dtype = i64, axis = array<i64: 1>} : (tensor<9xi64>) -> (tensor<?xi64>, tensor<9xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_consecutive_c2(%x: tensor<9xi64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?xi64>', 'tensor<9xi64>', 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?xi32>', 'tensor<9xi64>', 'tensor<?xi64>'}}
  %0:3 = pd.unique_consecutive %x {dtype = i64} : (tensor<9xi64>) -> (tensor<?xi32>, tensor<9xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_c2_out(%x: tensor<6x2xi64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?x2xi64>', 'tensor<?xi64>', 'tensor<6xi64>', 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?x2xi32>', 'tensor<?xi64>', 'tensor<6xi64>', 'tensor<?xi64>'}}
  %0:4 = pd.unique %x {axis = array<i64: 0>, dtype = i64} : (tensor<6x2xi64>) -> (tensor<?x2xi32>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>)
  return
}

// -----

func.func @histogram_c2(%x: tensor<20xf32>, %w: tensor<19xf32>) {
  // expected-error@+1 {{C2: weight must have the dimensions of input}}
  %0 = pd.histogram %x, %w {bins = 4 : i64} : (tensor<20xf32>, tensor<19xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @histogram_c1(%x: tensor<20xf32>) {
  // expected-error@+1 {{C1: bins must be positive, found 0}}
  %0 = pd.histogram %x {bins = 0 : i64} : (tensor<20xf32>) -> tensor<0xi64>
  return
}
