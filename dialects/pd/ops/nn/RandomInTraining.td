// The base of ops that sample in training only.
#ifndef PROA_DIALECTS_PD_NN_RANDOM_IN_TRAINING
#define PROA_DIALECTS_PD_NN_RANDOM_IN_TRAINING

include "dialects/pd/ir/Base.td"

// Equal ops in training are not merged (they have the effect MemAlloc); at inference they are. The record has the
// attribute is_test.
class Pd_RandomInTrainingOp<string mnemonic, list<Trait> traits = []>
    : Pd_Op<mnemonic, traits # [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AlwaysSpeculatable]> {
  let pure = 0;
}

#endif
