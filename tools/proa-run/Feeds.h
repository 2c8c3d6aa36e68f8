/// Feeds of a run: tensors from files, or random ones.
#pragma once

#include "translator/params/ModelTensors.h"

#include <map>
#include <string>
#include <vector>

namespace proa::tools {

struct FeedOptions {
  /// "FILE.safetensors", "FILE.npy" (the only feed, or one file for each feed in order), "NAME=FILE.npy" or
  /// "random:SEED".
  std::vector<std::string> sources;
  /// "NAME=1x3x224x224": dims of random feeds that are dynamic in the program.
  std::vector<std::string> dims;
  /// File that is used without sources, if it exists. Tensors of other runs in it are ignored.
  std::string defaultFile;
  /// Prefix of the tensors to read from safetensors files.
  std::string prefix;
  /// Tensors of safetensors files to ignore: state inputs of a case.
  std::vector<std::string> ignored;
  /// Whether to ignore tensors of the default file that are not feeds: the file is for the whole program.
  bool isSubgraph = false;
};

/// The tensors of a run in a file: the tensors with its prefix, or else the tensors without a prefix.
params::Tensors tensorsOfRun(const params::Tensors &all, const std::string &prefix);

/// Whether an argument is such a source rather than a model.
bool isFeedSource(const std::string &argument);

/// Sets the LoDs of a case on feeds without their own.
void giveDeclaredLods(params::Tensors &feeds, const params::ModelMeta &meta);

/// Creates a tensor for each feed. Entries NAME@LOD0, NAME@LOD1, ... are the LoD of the feed NAME. Error, all
/// at once: unreadable sources, feeds without a source, tensors that are not feeds, missing or invalid dims.
Result<params::Tensors> makeFeeds(const std::vector<TensorInfo> &feeds, const FeedOptions &options);

/// The feeds of consecutive runs: one for each step K with entries `stepK/NAME` in the safetensors files,
/// from step 0 on; without such entries, one for all runs. Errors: as makeFeeds, with the step.
Result<std::vector<params::Tensors>> makeFeedsOfSteps(const std::vector<TensorInfo> &feeds,
                                                      const FeedOptions &options);

} // namespace proa::tools
