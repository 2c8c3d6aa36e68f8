#include "tools/proa-run/Feeds.h"

#include "lib/check/RandomTensor.h"
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

using check::Tensors;

std::string namesOf(const std::vector<TensorInfo> &feeds) {
  std::string names;
  for (const TensorInfo &feed : feeds)
    names += (names.empty() ? "" : ", ") + feed.name;
  return names.empty() ? "no feeds" : names;
}

/// Collects the feeds from all sources.
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
        problems.add(
            "--dims",
            fmt::format("'{}' should be {}, but is fed {} ({}); random feeds have any dims: --inputs "
                        "random:SEED",
                        name, describe(fed->second.dtype(), given), fed->second.describe(),
                        fmt::join(sources, ", ")));
    if (problems.empty())
      for (const TensorInfo &feed : feeds)
        if (!result.count(feed.name))
          problems.add(feed.name, "nothing is fed to it; expected " + describe(feed.dtype, feed.dims));
    if (!problems.empty())
      return std::move(problems);
    return std::move(result);
  }

private:
  const TensorInfo *find(const std::string &name) const {
    auto found =
        std::find_if(feeds.begin(), feeds.end(), [&](const TensorInfo &f) { return f.name == name; });
    return found == feeds.end() ? nullptr : &*found;
  }

  void add(const std::string &source, const std::string &name, Tensor tensor) {
    if (find(name))
      result.insert_or_assign(name, std::move(tensor));
    else
      problems.add(source,
                   fmt::format("'{}' is no feed of the program, which has: {}", name, namesOf(feeds)));
  }

  void readDims() {
    dims = parseFeedDims(options.dims, problems);
    for (const auto &[name, given] : dims)
      if (!find(name))
        problems.add("--dims",
                     fmt::format("'{}' is no feed of the program, which has: {}", name, namesOf(feeds)));
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
      problems.add("--inputs", "found '" + source + "', expected random:SEED with a number");
      return;
    }
    for (const TensorInfo &feed : feeds) {
      if (result.count(feed.name))
        continue;
      auto given = dims.find(feed.name);
      const std::vector<int64_t> &shape = given == dims.end() ? feed.dims : given->second;
      if (elementCount(shape))
        emplaceRandom(feed, shape, seed);
      else
        problems.add(feed.name, fmt::format("the program leaves dims open: {}; give --dims {}=...",
                                            describe(feed.dtype, feed.dims), feed.name));
    }
  }

  void emplaceRandom(const TensorInfo &feed, const std::vector<int64_t> &shape, uint64_t seed) {
    try {
      result.emplace(feed.name, check::randomTensor(feed.name, feed.dtype, shape, seed));
    } catch (const std::bad_alloc &) {
      problems.add(feed.name, "no memory for a feed of " + describe(feed.dtype, shape));
    }
  }

  void addNpy(const std::string &source) {
    size_t equals = source.find('=');
    bool isNamed = equals != std::string::npos;
    std::string file = isNamed ? source.substr(equals + 1) : source;
    auto isUnnamed = [](const std::string &other) {
      return other.ends_with(".npy") && other.find('=') == std::string::npos;
    };
    if (!isNamed && std::ranges::count_if(options.sources, isUnnamed) != std::ssize(feeds)) {
      problems.add(source, "the program has several feeds (" + namesOf(feeds) +
                               "); give NAME=FILE.npy, or a file for each in this order");
      return;
    }
    Result<Tensor> tensor = params::readNpy(file);
    if (!tensor)
      problems.append(tensor.problems());
    else
      add(file, isNamed ? source.substr(0, equals) : feeds[unnamed].name, *tensor);
    unnamed += !isNamed;
  }

  void addSafetensors(const std::string &source) {
    Result<Tensors> tensors = params::readSafetensors(source);
    if (!tensors) {
      problems.append(tensors.problems());
      return;
    }
    bool isDefault = options.sources.empty();
    for (auto &[name, tensor] : tensorsOfRun(*tensors, options.prefix)) {
      bool isIgnored = std::ranges::find(options.ignored, name) != options.ignored.end();
      if (!isIgnored && !(isDefault && options.isPart && !find(name)))
        add(source, name, tensor);
    }
  }

  const std::vector<TensorInfo> &feeds;
  const FeedOptions &options;
  std::map<std::string, std::vector<int64_t>> dims;
  Tensors result;
  Problems problems;
  size_t unnamed = 0; ///< .npy files without a name so far
};

} // namespace

Tensors tensorsOfRun(const Tensors &all, const std::string &prefix) {
  Tensors ofRun = check::withPrefix(all, prefix);
  return ofRun.empty() ? check::withPrefix(all, "") : ofRun;
}

Result<Tensors> makeFeeds(const std::vector<TensorInfo> &feeds, const FeedOptions &options) {
  return FeedMaker(feeds, options).make();
}

} // namespace proa::tools
