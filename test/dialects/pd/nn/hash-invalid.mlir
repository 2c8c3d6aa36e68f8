// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @hash_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: x must be [rows, elements]}}
  %0 = "pd.hash"(%x) : (tensor<4xi32>) -> tensor<4x1x1xi32>
  return
}

// -----

func.func @hash_c2(%x: tensor<4x2xi32>) {
  // expected-error@+1 {{C2: num_hash and mod_by must be positive}}
  %0 = "pd.hash"(%x) {mod_by = 0 : i64} : (tensor<4x2xi32>) -> tensor<4x1x1xi32>
  return
}

// -----

func.func @runs_c1(%x: tensor<9x1xi32>, %w: tensor<20x1xf32>, %o: tensor<4xi64>) {
  // expected-error@+1 {{C1: x must be [ids, 1] and w float32 [space_len + rand_len, 1]}}
  %0:5 = pd.pyramid_hash %x, %w, %o {num_emb = 8 : i64, space_len = 20 : i64, rand_len = 4 : i64} : (tensor<9x1xi32>, tensor<20x1xf32>, tensor<4xi64>) -> (tensor<?x8xf32>, tensor<18x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  return
}

// -----

func.func @runs_c2(%x: tensor<9x1xi32>, %w: tensor<24x1xf32>, %o: tensor<4xi64>) {
  // expected-error@+1 {{C2: space_len, rand_len and num_emb must be positive, rand_len divide num_emb, and pyramid_layer be 2 or more}}
  %0:5 = pd.pyramid_hash %x, %w, %o {num_emb = 9 : i64, space_len = 20 : i64, rand_len = 4 : i64} : (tensor<9x1xi32>, tensor<24x1xf32>, tensor<4xi64>) -> (tensor<?x9xf32>, tensor<18x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  return
}

// -----

func.func @runs_c3(%x: tensor<9x1xi32>, %w: tensor<24x1xf32>, %o: tensor<4xi64>) {
  // expected-error@+1 {{C3: filters are not supported, found white_list_len 1 and black_list_len 0}}
  %0:5 = pd.pyramid_hash %x, %w, %o {num_emb = 8 : i64, space_len = 20 : i64, rand_len = 4 : i64, white_list_len = 1 : i64} : (tensor<9x1xi32>, tensor<24x1xf32>, tensor<4xi64>) -> (tensor<?x8xf32>, tensor<18x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  return
}

// -----

func.func @hash_c2_mod(%x: tensor<?x4xi32>) {
  // expected-error@+1 {{C2: num_hash and mod_by must be positive}}
  %0 = pd.hash %x {num_hash = 3 : i64, mod_by = 0 : i64} : (tensor<?x4xi32>) -> tensor<?x3x1xi32>
  return
}

// -----

func.func @pyramid_hash_c2(%x: tensor<9x1xi32>, %w: tensor<24x1xf32>, %o: tensor<4xi64>) {
  // expected-error@+1 {{C2: space_len, rand_len and num_emb must be positive, rand_len divide num_emb, and pyramid_layer be 2 or more}}
  %0:5 = pd.pyramid_hash %x, %w, %o {num_emb = 0 : i64, space_len = 20 : i64, rand_len = 4 : i64, pyramid_layer = 3 : i64} : (tensor<9x1xi32>, tensor<24x1xf32>, tensor<4xi64>) -> (tensor<?x8xf32>, tensor<27x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  return
}
