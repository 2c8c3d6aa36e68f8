// Constraints of dist.schedule. The name says which.
// RUN: proa-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{C1: expected a number of micro-batches from 1 to 4096, found 0}}
dist.schedule @c1_microbatches microbatches = 0 {
  0: F0 BW0
}

// -----

// expected-error @+1 {{C1: expected a number of ranks from 1 to 4096, found 0}}
dist.schedule @c1_ranks microbatches = 1 {
}

// -----

// expected-error @+1 {{C1: expected the placement roundrobin or v, found 'w'}}
dist.schedule @c1_placement microbatches = 1 placement = w {
  0: F0 BW0
}

// -----

// expected-error @+1 {{C2: rank 0: expected F, B, W or BW with a micro-batch, found 'X0'}}
dist.schedule @c2_word microbatches = 1 {
  0: F0 X0
}

// -----

// expected-error @+1 {{C2: rank 0, position 2 (F1): micro-batch 1 does not exist, expected one below 1}}
dist.schedule @c2_microbatch microbatches = 1 {
  0: F0 BW0 F1
}

// -----

// expected-error @+2 {{C3: rank 0, position 1 (end): B or BW of micro-batch 0 is missing, expected it once}}
// expected-note @+1 {{C3: rank 0, position 1 (end): W or BW of micro-batch 0 is missing, expected it once}}
dist.schedule @c3 microbatches = 1 {
  0: F0
}

// -----

// expected-error @+1 {{C4: rank 0, position 0 (BW0): the job needs F0 at position 1, expected it earlier}}
dist.schedule @c4 microbatches = 1 {
  0: BW0 F0
}

// -----

// expected-error @+2 {{C5: rank 0, position 1 (BW0): deadlock: the job waits for BW0 at position 2 of rank 1}}
// expected-note @+1 {{C5: rank 1, position 1 (F1): deadlock: the job waits for F1 at position 2 of rank 0}}
dist.schedule @c5 microbatches = 2 {
  0: F0 BW0 F1 BW1
  1: F0 F1 BW0 BW1
}

// -----

// expected-error @+1 {{C6: rank 0, position 1 (F1): the rank holds activations of 2, expected at most 1}}
dist.schedule @c6 microbatches = 2 activations = 1.0 {
  0: F0 F1 BW0 BW1
}

// -----

dist.schedule @ranks microbatches = 1 {
  // expected-error @+1 {{expected the jobs of rank 0, found the jobs of rank 1}}
  1: F0 BW0
}
