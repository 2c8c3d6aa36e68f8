// RUN: proa-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{found 'simd', expected fma, mma or wgmma}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = simd>}

// -----
// expected-error@+1 {{duplicate or unknown struct parameter name: parts}}
func.func private @f() attributes {proa.contraction = #proa.contraction<parts = 2>}

// -----
// expected-error@+1 {{C1: `tile` is [32, 0, 16], expected sizes of at least 1}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 0, 16], warp = [4, 4]>}

// -----
// expected-error@+1 {{C2: `warp` is [4], expected with fma multiples of 4 and 4}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16], warp = [4]>}

// -----
// expected-error@+1 {{C2: `warp` is [16, 8], expected with mma multiples of 16 and 16}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 32], warp = [16, 8]>}

// -----
// expected-error@+1 {{C2: `warp` is [32, 64], expected with wgmma multiples of 64 and 8}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 64, 64], warp = [32, 64]>}

// -----
// expected-error@+1 {{C3: `stages` is 0, expected 1 to 8}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = mma, stages = 0>}

// -----
// expected-error@+1 {{C3: `stages` is 1, expected 2 to 8}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = wgmma, stages = 1>}

// -----
// expected-error@+1 {{C4: `split_k` is 5000, expected 1 to 4096}}
func.func private @f() attributes {proa.contraction = #proa.contraction<split_k = 5000>}

// -----
// expected-error@+1 {{C5: `tile` and `warp` are set together, and need `kind`}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16]>}

// -----
// expected-error@+1 {{C5: `tile` and `warp` are set together, and need `kind`}}
func.func private @f() attributes {proa.contraction = #proa.contraction<tile = [32, 32, 16], warp = [4, 4]>}

// -----
// expected-error@+1 {{attribute 'proa.contraction': expected a #proa.contraction, found "wgmma" on func.func}}
func.func private @f() attributes {proa.contraction = "wgmma"}

// -----
// expected-error@+1 {{C1: `tile` is [64, 24], expected two multiples of 16 up to 128}}
func.func private @f() attributes {proa.attention = #proa.attention<kind = mma, tile = [64, 24]>}

// -----
// expected-error@+1 {{C1: `tile` is [64], expected two multiples of 16 up to 128}}
func.func private @f() attributes {proa.attention = #proa.attention<kind = mma, tile = [64]>}

// -----
// expected-error@+1 {{C2: `stages` is 9, expected 1 to 8}}
func.func private @f() attributes {proa.attention = #proa.attention<stages = 9>}

// -----
// expected-error@+1 {{C3: `split_keys` is 0, expected 1 to 4096}}
func.func private @f() attributes {proa.attention = #proa.attention<split_keys = 0>}

// -----
// expected-error@+1 {{C4: `tile` needs `kind`}}
func.func private @f() attributes {proa.attention = #proa.attention<tile = [64, 64]>}

// -----
// expected-error@+1 {{attribute 'proa.attention': expected a #proa.attention, found #proa.contraction<kind = mma> on func.func}}
func.func private @f() attributes {proa.attention = #proa.contraction<kind = mma>}
