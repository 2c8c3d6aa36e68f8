/// Random changes of a program and its feeds, for differential testing. The importer may reject the result as
/// invalid; otherwise compiled code and the reference evaluator must agree.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/legacy/Program.h"

#include <random>

namespace proa::check {

struct Mutant {
  legacy::Program program;
  Tensors feeds;
  /// The change: "dim 3 of the feeds to 7; softmax: axis -1 to 0".
  std::string description;
};

/// Applies one or two random changes: a dim of the feeds, one dim of one feed set to 1, the dtype of all
/// feeds, an attribute of one op. New feeds have elements of the old ones, so that indices stay valid.
Mutant mutate(const legacy::Program &program, const Tensors &feeds, std::mt19937_64 &random);

} // namespace proa::check
