#include "tools/proa-run/Feeds.h"

#include "lib/base/support/CountText.h"
#include "lib/base/support/LodEntries.h"
#include "lib/base/support/NamedDims.h"
#include "lib/base/support/Sequences.h"
#include "lib/base/support/Suggest.h"
#include "lib/base/tensors/RandomTensor.h"
#include "tools/common/CommandLine.h"
#include "translator/params/Npy.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace proa::tools {
namespace {

using params::Tensors;

std::string namesOf(const std::vector<TensorInfo> &feeds) {
  std::string names;
  for (const TensorInfo &feed : feeds)
    names += (names.empty() ? "" : ", ") + feed.name;
  return names.empty() ? "no feeds" : names;
}

/// Collects feeds from all sources.
class FeedMaker {
public:
  FeedMaker(const std::vector<TensorInfo> &feeds, const FeedOptions &options)
      : feeds(feeds), options(options) {}

  Result<Tensors> make() {
    readDims();
    std::vector<std::string> sources = options.sources;
    if (sources.empty())
      sources.push_back(std::filesystem::exists(options.defaultFile) ? options.defaultFile : "random:0");
    for (const std::string &source : sources)
      addSource(source);
    for (const auto &[name, given] : dims)
      if (auto fed = result.find(name); fed != result.end() && fed->second.dims() != given)
        diagnostics.add(
            "--dims",
            fmt::format("'{}' should be {}, but is fed {} ({}); for random feeds of other dims: --inputs "
                        "random:SEED",
                        name, describe(fed->second.dtype(), given), fed->second.describe(),
                        fmt::join(sources, ", ")));
    giveLods();
    if (diagnostics.empty())
      for (const TensorInfo &feed : feeds)
        if (!feed.isSequence && !result.count(feed.name))
          diagnostics.add(options.prefix + feed.name, "no value is fed, expected " + describe(feed));
    if (!diagnostics.empty())
      return std::move(diagnostics);
    return std::move(result);
  }

private:
  /// The feed of this name, or the sequence of an element.
  const TensorInfo *find(const std::string &name) const {
    auto element = elementEntryOf(name);
    auto found = std::find_if(feeds.begin(), feeds.end(), [&](const TensorInfo &feed) {
      return feed.isSequence ? element && element->sequence == feed.name : feed.name == name;
    });
    return found == feeds.end() ? nullptr : &*found;
  }

  void add(const std::string &source, const std::string &name, Tensor tensor) {
    if (find(name))
      result.insert_or_assign(name, std::move(tensor));
    else if (auto entry = lodEntryOf(name); entry && find(entry->variable))
      lods.add(*entry, tensor, source, diagnostics);
    else
      addUnknown(source, name);
  }

  /// Adds an error if no feed has this name.
  void checkFed(const std::string &source, const std::string &name) {
    auto entry = lodEntryOf(name);
    if (!find(name) && !(entry && find(entry->variable)))
      addUnknown(source, name);
  }

  void addUnknown(const std::string &source, const std::string &name) {
    std::vector<std::string> names;
    for (const TensorInfo &feed : feeds)
      names.push_back(feed.name);
    diagnostics.add(source, fmt::format("'{}' is not a feed of the program, which has: {}{}", name,
                                        namesOf(feeds), didYouMean(name, names)));
  }

  void giveLods() {
    for (auto &[name, lod] : lods.finish(fmt::format("{}", fmt::join(options.sources, ", ")), diagnostics))
      if (auto fed = result.find(name); fed != result.end())
        fed->second.setLod(lod);
  }

  void readDims() {
    dims = parseFeedDims(options.dims, diagnostics);
    dimsAreWrong = !diagnostics.empty();
    for (const auto &[name, given] : dims)
      if (!find(name))
        addUnknown("--dims", name);
  }

  void addSource(const std::string &source) {
    if (source.starts_with("random:"))
      addRandom(source);
    else if (source.ends_with(".npy"))
      addNpy(source);
    else
      addSafetensors(source);
  }

  void addRandom(const std::string &source) {
    uint64_t seed = 0;
    const char *end = source.data() + source.size();
    auto [next, error] = std::from_chars(source.data() + std::string_view("random:").size(), end, seed);
    if (error != std::errc() || next != end) {
      diagnostics.add("--inputs", "found '" + source + "', expected random:SEED with a number");
      return;
    }
    for (const TensorInfo &feed : feeds) {
      if (result.count(feed.name) || feed.isSequence) // which is empty, unless files have elements
        continue;
      auto given = dims.find(feed.name);
      const std::vector<int64_t> &shape = given == dims.end() ? feed.dims : given->second;
      if (elementCount(shape))
        emplaceRandom(feed, shape, seed);
      else if (!dimsAreWrong)
        diagnostics.add(feed.name, fmt::format("has dynamic dims in the program: {}; expected --dims {}=...",
                                               describe(feed), feed.name));
    }
  }

  void emplaceRandom(const TensorInfo &feed, const std::vector<int64_t> &shape, uint64_t seed) {
    try {
      result.emplace(feed.name, randomTensor(feed.name, feed.dtype, shape, seed));
    } catch (const std::bad_alloc &) {
      diagnostics.add(feed.name, "out of memory for a feed of " + describe(feed.dtype, shape));
    }
  }

  void addNpy(const std::string &source) {
    size_t equals = source.find('=');
    bool isNamed = equals != std::string::npos;
    std::string file = isNamed ? source.substr(equals + 1) : source;
    std::error_code ignored;
    if (isNamed && !std::filesystem::exists(file, ignored))
      checkFed(source, source.substr(0, equals)); // name and file may both be wrong
    auto isUnnamed = [](const std::string &other) {
      return other.ends_with(".npy") && other.find('=') == std::string::npos;
    };
    if (auto files = std::ranges::count_if(options.sources, isUnnamed);
        !isNamed && files != std::ssize(feeds)) {
      diagnostics.add(source,
                      fmt::format("found {}, but the program has {} ({}); expected NAME=FILE.npy, or a "
                                  "file for each feed in this order",
                                  countText(files, "file without a name", "files without a name"),
                                  countText(std::ssize(feeds), "feed"), namesOf(feeds)));
      return;
    }
    Result<Tensor> tensor = params::readNpy(file);
    if (!tensor)
      diagnostics.append(tensor.diagnostics());
    else
      add(file, isNamed ? source.substr(0, equals) : feeds[unnamed].name, *tensor);
    unnamed += !isNamed;
  }

  void addSafetensors(const std::string &source) {
    std::error_code ignored;
    if (!source.ends_with(".safetensors") && !std::filesystem::exists(source, ignored)) {
      diagnostics.add("--inputs", "found '" + source +
                                      "', expected FILE.safetensors, FILE.npy, NAME=FILE.npy or random:SEED");
      return;
    }
    Result<Tensors> tensors = params::readSafetensors(source);
    if (!tensors) {
      diagnostics.append(tensors.diagnostics());
      return;
    }
    bool isDefault = options.sources.empty();
    for (auto &[name, tensor] : tensorsOfRun(*tensors, options.prefix)) {
      bool isIgnored = std::ranges::find(options.ignored, name) != options.ignored.end();
      if (!isIgnored && !(isDefault && options.isSubgraph && !find(name)))
        add(source, name, tensor);
    }
  }

  const std::vector<TensorInfo> &feeds;
  const FeedOptions &options;
  std::map<std::string, std::vector<int64_t>> dims;
  bool dimsAreWrong = false;
  Tensors result;
  LodCollector lods;
  Diagnostics diagnostics;
  size_t unnamed = 0; ///< number of .npy files without a name so far
};

} // namespace

Tensors tensorsOfRun(const Tensors &all, const std::string &prefix) {
  Tensors ofRun = params::withPrefix(all, prefix);
  return ofRun.empty() ? params::withPrefix(all, "") : ofRun;
}

bool isFeedSource(const std::string &argument) {
  return argument.starts_with("random:") || argument.ends_with(".npy") || argument.ends_with(".safetensors");
}

void giveDeclaredLods(Tensors &feeds, const params::ModelMeta &meta) {
  params::ModelMeta missing;
  for (const auto &[name, lod] : meta.lod)
    if (auto fed = feeds.find(name); fed != feeds.end() && fed->second.lod().empty())
      missing.lod.emplace(name, lod);
  params::setLods(feeds, missing);
}

Result<Tensors> makeFeeds(const std::vector<TensorInfo> &feeds, const FeedOptions &options) {
  return FeedMaker(feeds, options).make();
}

/// The number of steps with entries in the safetensors files of the options. Errors are left to makeFeeds.
static int countSteps(const FeedOptions &options) {
  std::vector<std::string> files = options.sources;
  if (files.empty())
    files.push_back(options.defaultFile);
  int count = 0;
  std::error_code ignored;
  for (const std::string &file : files) {
    if (!file.ends_with(".safetensors") || !std::filesystem::exists(file, ignored))
      continue;
    if (Result<Tensors> tensors = params::readSafetensors(file))
      while (!params::withPrefix(*tensors, params::ModelMeta::stepPrefix(count)).empty())
        ++count;
  }
  return count;
}

Result<std::vector<Tensors>> makeFeedsOfSteps(const std::vector<TensorInfo> &feeds,
                                              const FeedOptions &options) {
  int count = countSteps(options);
  std::vector<Tensors> steps;
  for (int step = 0; step < std::max(count, 1); ++step) {
    FeedOptions ofStep = options;
    if (count > 0)
      ofStep.prefix = params::ModelMeta::stepPrefix(step);
    Result<Tensors> created = makeFeeds(feeds, ofStep);
    if (!created)
      return created.diagnostics();
    steps.push_back(std::move(*created));
  }
  return steps;
}

} // namespace proa::tools
