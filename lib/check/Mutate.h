/// Changes a program and its feeds a little, for differential testing: what comes out may be nonsense that
/// the importer refuses, but where it is a program, compiled code and the reference evaluator must agree on
/// it.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/legacy/Program.h"

#include <random>

namespace proa::check {

struct Mutant {
  legacy::Program program;
  Tensors feeds;
  /// What was changed: "extent 3 of the feeds to 7; softmax: axis -1 to 0".
  std::string description;
};

/// One or two changes, drawn from: an extent of the feeds, one dimension of one feed set to 1, the element
/// type of all feeds, an attribute of one op. New feeds hold elements of the old ones, so that indices stay
/// indices.
Mutant mutate(const legacy::Program &program, const Tensors &feeds, std::mt19937_64 &random);

} // namespace proa::check
