/// Programs of Paddle's RecomputeOptimizer, which compute values again instead of keeping them.
#pragma once

#include "translator/import/legacy/OpImporter.h"

namespace proa::import {

/// A backward op that repeats a forward op (its outputs have the names
/// `x.subprog_N` for `x`, with segment N) reads values from outside of its
/// segment through pd.optimization_barrier, so that the two ops are not merged again. Parameters, and the
/// short integer vectors that shapes are, stay as they are.
void keepApart(OpImporter &importer);

/// Whether an op belongs to such a segment.
bool isRecomputed(const legacy::Operation &op);

} // namespace proa::import
