/// What a program is fed: tensors from files, or random ones.
#pragma once

#include "lib/check/CaseResult.h"

#include <map>
#include <string>
#include <vector>

namespace proa::tools {

struct FeedOptions {
  /// "FILE.safetensors", "FILE.npy" (the program's only feed, or as many files as
  /// it has feeds, in their order), "NAME=FILE.npy" or "random:SEED".
  std::vector<std::string> sources;
  /// "NAME=1x3x224x224": dims of random feeds that the program leaves open.
  std::vector<std::string> dims;
  /// Used where there are no sources and the file exists; tensors of later runs in it are left out.
  std::string defaultFile;
  /// Prefix of the tensors to take from safetensors files.
  std::string prefix;
  /// Tensors of safetensors files that are no feeds and are left out: state inputs of a case.
  std::vector<std::string> ignored;
  /// Takes of the default file only what is fed: it is meant for the whole program.
  bool isPart = false;
};

/// The tensors of a run in a file: those with its prefix, or, where there are none, those without any.
check::Tensors tensorsOfRun(const check::Tensors &all, const std::string &prefix);

/// Whether an argument is one of these sources, and not a model.
bool isFeedSource(const std::string &argument);

/// Gives the feeds the LoDs of a case, where they have none of their own.
void giveDeclaredLods(check::Tensors &feeds, const check::CaseMeta &meta);

/// Makes a tensor for each feed. Entries NAME@LOD0, NAME@LOD1, ... are the LoD of the feed NAME. Problems,
/// all at once: sources that can't be read, feeds that got nothing, tensors that are no feed, dims that are
/// missing or no dims.
Result<check::Tensors> makeFeeds(const std::vector<TensorInfo> &feeds, const FeedOptions &options);

} // namespace proa::tools
