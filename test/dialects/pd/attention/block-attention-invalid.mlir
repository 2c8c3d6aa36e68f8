// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @block_multihead_attention_c1(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf16>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C1: qkv is tensor<3x64xf32>, key_cache tensor<9x2x4x8xf32>, value_cache tensor<9x2x4x8xf16>}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf16>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c2(%x: tensor<3x60xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C2: qkv is tensor<3x60xf32>, key_cache tensor<9x2x4x8xf32>, expected (H + 2 G) D columns}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64} : (tensor<3x60xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c2_heads(%x: tensor<3x56xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C2: qkv is tensor<3x56xf32>}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64} : (tensor<3x56xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c2_bias(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>, %o: tensor<32xf32>) {
  // expected-error@+1 {{C2: qkv is tensor<3x64xf32>}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t qkv_bias = %o {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>, tensor<32xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c3(%x: tensor<4x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C3: qkv is tensor<4x64xf32>, block_tables tensor<3x5xi32>, expected one token and one of each length for each sequence}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64} : (tensor<4x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c3_lengths(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<4xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C3: qkv is tensor<3x64xf32>}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c4(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C4: block_size is 64, expected the 4 rows of a block of the cache}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 64 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c5(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>, %o: tensor<2x5x3xf32>) {
  // expected-error@+1 {{C5: rope_emb is tensor<2x5x3xf32> for heads of 8 elements}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t rope_emb = %o {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>, tensor<2x5x3xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c6(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>, %o: tensor<2xf32>) {
  // expected-error@+1 {{C6: 'cache_k_quant_scales' is given: quantization is not supported}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t cache_k_quant_scales = %o {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>, tensor<2xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c6_shift(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>, %o: tensor<32xf32>) {
  // expected-error@+1 {{C6: 'out_shift' is given: quantization is not supported}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t out_shift = %o {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>, tensor<32xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c6_scale(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C6: out_scale is 0.500000, which quantizes the result, expected at most 0}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64, out_scale = 0.5 : f64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c6_type(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>) {
  // expected-error@+1 {{C6: compute_dtype is 'fp16', expected 'default' or 'fp32'}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t {block_size = 4 : i64, compute_dtype = "fp16"} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c7(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>, %o: tensor<3x2x4x8xf32>) {
  // expected-error@+1 {{C7: 'pre_key_cache' is given, which is not supported}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t pre_key_cache = %o {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>, tensor<3x2x4x8xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @block_multihead_attention_c7_mask(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %v: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>, %o: tensor<3x1x1x20xf32>) {
  // expected-error@+1 {{C7: 'tgt_mask' is given, which is not supported}}
  %0:4 = pd.block_multihead_attention %x, %c, %v, %n, %n, %n, %t tgt_mask = %o {block_size = 4 : i64} : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x5xi32>, tensor<3x1x1x20xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c1(%x: tensor<3x64xf32>, %c: tensor<1x3x2x12x8xf32>, %o0: tensor<3xi32>) {
  // expected-error@+1 {{C1: x is tensor<3x64xf32>, cache_kv tensor<1x3x2x12x8xf32>, expected ranks 2 and 5, a first dim of 2 and one element type}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 : (tensor<3x64xf32>, tensor<1x3x2x12x8xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c1_bias(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<64xf16>, %o1: tensor<3xi32>) {
  // expected-error@+1 {{C1: x is tensor<3x64xf32>}}
  %0:2 = pd.masked_multihead_attention %x, %c bias = %o0 sequence_lengths = %o1 : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<64xf16>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c2(%x: tensor<3x60xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>) {
  // expected-error@+1 {{C2: x is tensor<3x60xf32>, cache_kv tensor<2x3x2x12x8xf32>, expected (H + 2 G) D columns}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 : (tensor<3x60xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c2_rows(%x: tensor<3x48xf32>, %c: tensor<2x3x2x12x6xf32>, %o0: tensor<3xi32>) {
  // expected-error@+1 {{C2: x is tensor<3x48xf32>, cache_kv tensor<2x3x2x12x6xf32>}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 : (tensor<3x48xf32>, tensor<2x3x2x12x6xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c3(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>) {
  // expected-error@+1 {{C3: x is tensor<3x64xf32>, cache_kv tensor<2x3x2x12x8xf32>, src_mask absent, sequence_lengths absent}}
  %0:2 = pd.masked_multihead_attention %x, %c : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c3_mask(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3x1x1x13xf32>, %o1: tensor<3xi32>) {
  // expected-error@+1 {{C3: x is tensor<3x64xf32>, cache_kv tensor<2x3x2x12x8xf32>, src_mask tensor<3x1x1x13xf32>, sequence_lengths tensor<3xi32>}}
  %0:2 = pd.masked_multihead_attention %x, %c src_mask = %o0 sequence_lengths = %o1 : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3x1x1x13xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c4(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>, %o1: tensor<2x3x1x1x8xf32>) {
  // expected-error@+1 {{C4: rotary_emb_dims is 2, rotary_tensor tensor<2x3x1x1x8xf32>, expected 0, or 1 and 2 B D elements}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 rotary = %o1 {rotary_emb_dims = 2 : i64} : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>, tensor<2x3x1x1x8xf32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c4_absent(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>) {
  // expected-error@+1 {{C4: rotary_emb_dims is 1, rotary_tensor absent}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 {rotary_emb_dims = 1 : i64} : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c5(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>, %o1: tensor<64xf32>) {
  // expected-error@+1 {{C5: 'qkv_out_scale' is given: quantization is not supported}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 qkv_out_scale = %o1 : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>, tensor<64xf32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c5_scale(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>) {
  // expected-error@+1 {{C5: out_scale is 2.000000, which quantizes the result, expected at most 0}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 {out_scale = 2.0 : f64} : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c5_type(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>) {
  // expected-error@+1 {{C5: compute_dtype is 'bf16', expected 'default' or 'fp32'}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 {compute_dtype = "bf16"} : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c6(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>, %o1: tensor<3x1x12xi32>) {
  // expected-error@+1 {{C6: 'beam_cache_offset' is given, which is not supported}}
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %o0 beam_cache_offset = %o1 : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>, tensor<3x1x12xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}

// -----

func.func @masked_multihead_attention_c6_offsets(%x: tensor<3x64xf32>, %c: tensor<2x3x2x12x8xf32>, %o0: tensor<3xi32>, %o1: tensor<3xi32>) {
  // expected-error@+1 {{C6: 'cum_offsets' is given, which is not supported}}
  %0:2 = pd.masked_multihead_attention %x, %c cum_offsets = %o0 sequence_lengths = %o1 : (tensor<3x64xf32>, tensor<2x3x2x12x8xf32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3x32xf32>, tensor<2x3x2x12x8xf32>)
  return
}
