#include "lib/checkpoint/ConvertFiles.h"

#include "lib/base/support/CountText.h"
#include "lib/base/support/Files.h"
#include "lib/checkpoint/Convert.h"
#include "lib/checkpoint/TransformedCheckpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace proa::checkpoints {
namespace {

/// One call of convertFiles().
class FileConversion {
public:
  FileConversion(const std::vector<std::string> &sources, const std::string &target,
                 const ConvertOptions &options)
      : sources(sources), target(target), options(options) {}

  Result<void> run() {
    if (Result<void> checked = check(); !checked)
      return checked;
    if (!options.transform.empty())
      return transform();
    Result<Checkpoint> source = Checkpoint::open(sources.front());
    if (!source)
      return source.diagnostics();
    return write(*source);
  }

private:
  bool isFile() const { return target.ends_with(".safetensors") || target.ends_with(".pdiparams"); }

  Result<void> check() const {
    int layouts = int(!options.shardings.empty()) + int(!options.like.empty()) + int(options.flatten != 0) +
                  int(options.fileBytes != 0) + int(options.layout != nullptr);
    if (layouts > 1)
      return errorAt(target, fmt::format("found {} layouts, expected one", layouts));
    if (options.flatten < 0 || options.flatten > mostShards)
      return errorAt(target, fmt::format("found {} shards of each tensor, expected 1 to {}", options.flatten,
                                         mostShards));
    if (options.fileBytes < 0)
      return errorAt(target,
                     fmt::format("found files of {} bytes, expected a positive number", options.fileBytes));
    if (isFile() && layouts > 0)
      return errorAt(target, "a layout is given for one file, expected a folder as the target");
    if (options.transform.empty() && sources.size() != 1)
      return errorAt(target, fmt::format("found {} and no statements that compose them, expected one source",
                                         countText(sources.size(), "source")));
    if (sources.empty())
      return errorAt(target, "found no source, expected at least one");
    return {};
  }

  /// A source as PATH, or as NAME=PATH.
  Result<TransformInput> openInput(const std::string &argument) const {
    size_t equals = argument.find('=');
    bool hasPrefix = equals != std::string::npos && !std::filesystem::exists(argument);
    if (!hasPrefix && sources.size() > 1)
      return errorAt(argument, "has no prefix, expected NAME=PATH for each of several sources");
    Result<Checkpoint> checkpoint = Checkpoint::open(hasPrefix ? argument.substr(equals + 1) : argument);
    if (!checkpoint)
      return checkpoint.diagnostics();
    return TransformInput{hasPrefix ? argument.substr(0, equals) : "", std::move(*checkpoint)};
  }

  Result<void> transform() const {
    Result<std::string> text = readFile(options.transform);
    if (!text)
      return text.diagnostics();
    auto statements = transform::parseStatements(*text, options.transform, options.variables);
    if (!statements)
      return statements.diagnostics();
    std::vector<TransformInput> inputs;
    for (const std::string &source : sources) {
      Result<TransformInput> input = openInput(source);
      if (!input)
        return input.diagnostics();
      inputs.push_back(std::move(*input));
    }
    TransformOptions given{options.isInverse};
    std::optional<Checkpoint> like;
    if (!options.like.empty()) {
      Result<Checkpoint> opened = Checkpoint::open(options.like);
      if (!opened)
        return opened.diagnostics();
      like = std::move(*opened);
      given.result = &like->catalog();
    }
    auto composed = TransformedCheckpoint::create(std::move(inputs), *statements, given);
    if (!composed)
      return composed.diagnostics();
    for (const Diagnostic &warning : composed->warnings())
      if (options.onWarning)
        options.onWarning(warning);
    return write(*composed);
  }

  Result<std::unique_ptr<Layout>> layout() const {
    if (options.layout)
      return options.layout();
    if (!options.shardings.empty())
      return readLayout(options.shardings);
    if (options.flatten > 0)
      return flattenedTensors(options.flatten);
    if (options.like.empty())
      return wholeTensors(options.fileBytes);
    Result<Checkpoint> like = Checkpoint::open(options.like);
    if (!like)
      return like.diagnostics();
    return layoutLike(like->catalog());
  }

  Result<void> write(TensorSource &source) const {
    if (isFile())
      return convertToFile(source, target);
    Result<std::unique_ptr<Layout>> chosen = layout();
    return chosen ? convert(source, target, **chosen) : Result<void>(chosen.diagnostics());
  }

  static constexpr int64_t mostShards = int64_t(1) << 20;
  const std::vector<std::string> &sources;
  const std::string &target;
  const ConvertOptions &options;
};

} // namespace

Result<void> convertFiles(const std::vector<std::string> &sources, const std::string &target,
                          const ConvertOptions &options) {
  return FileConversion(sources, target, options).run();
}

} // namespace proa::checkpoints
