// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @embedding_c1(%a: tensor<2xi64>, %b: tensor<2xf32>) {
  // expected-error@+1 {{C1: weight must have rank 2, found rank 1}}
  %0 = "pd.embedding"(%a, %b) {} : (tensor<2xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @embedding_c2(%a: tensor<2xi64>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{C2: padding_idx must be -1 or one of the 4 rows, found 9}}
  %0 = "pd.embedding"(%a, %b) {padding_idx = 9 : i64} : (tensor<2xi64>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @table_c1(%w: tensor<9x2xf32>, %i: tensor<5x1xi64>) {
  // expected-error@+1 {{C1: w must be float32 [rows, 3 or more], and the last dim of ids 1}}
  %1 = "pd.lookup_table_dequant"(%w, %i) : (tensor<9x2xf32>, tensor<5x1xi64>) -> tensor<5x0xf32>
  return
}

// -----

func.func @lookup_table_dequant_c1_ids(%w: tensor<9x6xf32>, %v1: tensor<3x2xi64>) {
  // expected-error@+1 {{C1: w must be float32 [rows, 3 or more], and the last dim of ids 1, found tensor<9x6xf32>, tensor<3x2xi64>}}
  %1 = pd.lookup_table_dequant %w, %v1 : (tensor<9x6xf32>, tensor<3x2xi64>) -> tensor<5x16xf32>
  return
}
