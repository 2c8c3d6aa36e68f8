// proa-checkpoint: shows, verifies, compares and converts checkpoints.
#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Convert.h"
#include "lib/checkpoint/TransformedCheckpoint.h"
#include "lib/support/CountText.h"
#include "tools/common/CommandLine.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>

using namespace proa;
using namespace proa::tools;

namespace {

struct Options {
  std::string command;
  std::vector<std::string> paths;
  std::string shardings, like;
  int64_t flatten = 0, fileBytes = 0;
  std::string transform;
  std::vector<std::string> definitions;
  bool isInverse = false;
};

void declareTransform(CommandLine &line, Options &options) {
  CLI::Option *transform =
      line.add_option(
              "--transform", options.transform,
              "convert: composes the tensors by the statements of this file. There may be several FROM, "
              "each as NAME=PATH; names of their tensors are NAME.tensor")
          ->type_name("FILE");
  line.add_flag("--inverse", options.isInverse, "convert: applies the inverse of the statements")
      ->needs(transform);
  line.add_option("--define", options.definitions, "convert: the value of $NAME in attributes of statements")
      ->type_name("NAME=VALUE")
      ->needs(transform);
}

void declare(CommandLine &line, Options &options) {
  line.add_option("command", options.command,
                  "inspect PATH: lists tensors, shards and the state of the training; verify PATH: reads all "
                  "files and compares checksums; diff A B: compares tensors, whatever their layouts; convert "
                  "FROM TO: writes another layout")
      ->check(CLI::IsMember({"inspect", "verify", "diff", "convert"}))
      ->required();
  line.add_option(
          "paths", options.paths,
          "Checkpoints: a folder, an index (*.index.json), a file (*.safetensors), or one of Paddle or "
          "PyTorch (docs/checkpoints.md). convert writes one file if TO ends with .safetensors or "
          ".pdiparams, else a folder")
      ->required()
      ->type_name("PATH");
  CLI::Option *shardings =
      line.add_option("--shardings", options.shardings,
                      "convert: a file for each device of the mesh, with the shards of this "
                      "file of shardings (as proa-run --shardings); other tensors are whole")
          ->type_name("FILE");
  CLI::Option *like = line.add_option("--like", options.like,
                                      "convert: the layout of this checkpoint; with "
                                      "--transform also the names of the result")
                          ->type_name("PATH")
                          ->excludes(shardings);
  CLI::Option *flatten =
      line.add_option("--flatten", options.flatten,
                      "convert: N files; each has an equal part of the elements of each tensor in row-major "
                      "order, as ZeRO shards them")
          ->type_name("N")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
          ->excludes(shardings)
          ->excludes(like);
  line.add_option(
          "--max-file-size", options.fileBytes,
          "convert: whole tensors in files of at most this many bytes, or of one tensor; default: one "
          "file")
      ->type_name("BYTES")
      ->check(CLI::PositiveNumber)
      ->excludes(shardings)
      ->excludes(like)
      ->excludes(flatten);
  declareTransform(line, options);
}

class Tool {
public:
  explicit Tool(const Options &options) : options(options) {}

  Result<int> run() {
    if (!options.transform.empty())
      return transform();
    size_t expected = options.command == "inspect" || options.command == "verify" ? 1 : 2;
    if (options.paths.size() != expected)
      return errorAt(options.command,
                     fmt::format("found {}, expected {}", countText(options.paths.size(), "path"), expected));
    Result<checkpoints::Checkpoint> first = checkpoints::Checkpoint::open(options.paths[0]);
    if (!first)
      return first.diagnostics();
    if (options.command == "inspect")
      return inspect(*first);
    if (options.command == "verify")
      return verify(*first);
    return options.command == "diff" ? diff(*first) : convert(*first);
  }

private:
  /// Numbers of tensors, shards and bytes.
  static std::string totals(const checkpoints::Catalog &catalog) {
    size_t shards = 0;
    int64_t bytes = 0;
    for (const auto &[name, tensor] : catalog.tensors) {
      shards += catalog.shards.at(name).size();
      bytes += checkpoints::volumeOf(checkpoints::wholeBox(tensor.dims)) *
               static_cast<int64_t>(sizeOf(tensor.dtype));
    }
    return fmt::format("{}, {}, {}, {}", countText(catalog.tensors.size(), "tensor"),
                       countText(shards, "shard"), countText(catalog.files.size(), "file"), sizeText(bytes));
  }

  static Result<int> inspect(const checkpoints::Checkpoint &checkpoint) {
    const checkpoints::Catalog &catalog = checkpoint.catalog();
    fmt::print("{}: {}\n", checkpoint.path(), totals(catalog));
    if (catalog.training)
      fmt::print("training: {} completed\n", countText(catalog.training->step, "step"));
    if (catalog.training && catalog.training->random)
      fmt::print("random state: seed {}, {}\n", catalog.training->random->seed,
                 countText(catalog.training->random->calls, "call"));
    for (const auto &[name, tensor] : catalog.tensors) {
      const std::vector<checkpoints::ShardEntry> &shards = catalog.shards.at(name);
      fmt::print("{}  {}  {}\n", name, describe(tensor.dtype, tensor.dims),
                 checkpoints::keywordOf(tensor.kind));
      if (shards.size() > 1)
        for (const checkpoints::ShardEntry &shard : shards)
          fmt::print("  {}  {}\n", checkpoints::toText(shard.box), shard.file);
    }
    return ExitCode::success;
  }

  static Result<int> verify(checkpoints::Checkpoint &checkpoint) {
    if (Result<void> verified = checkpoint.verify(); !verified)
      return verified.diagnostics();
    size_t missing = 0;
    for (const auto &[name, shards] : checkpoint.catalog().shards)
      for (const checkpoints::ShardEntry &shard : shards)
        missing += shard.checksum ? 0 : 1;
    fmt::print("{}: whole: {}{}\n", checkpoint.path(), totals(checkpoint.catalog()),
               missing ? fmt::format("; {} without a checksum", countText(missing, "shard")) : "");
    return ExitCode::success;
  }

  Result<int> diff(checkpoints::Checkpoint &first) {
    Result<checkpoints::Checkpoint> second = checkpoints::Checkpoint::open(options.paths[1]);
    if (!second)
      return second.diagnostics();
    Result<std::vector<std::string>> lines = checkpoints::differences(first, *second);
    if (!lines)
      return lines.diagnostics();
    for (const std::string &line : *lines)
      fmt::print("{}\n", line);
    if (lines->empty())
      fmt::print("equal: {}\n", countText(first.catalog().tensors.size(), "tensor"));
    return lines->empty() ? ExitCode::success : ExitCode::failure;
  }

  Result<std::unique_ptr<checkpoints::Layout>> layout() const {
    if (!options.shardings.empty())
      return checkpoints::readLayout(options.shardings);
    if (options.flatten > 0)
      return checkpoints::flattenedTensors(options.flatten);
    if (options.like.empty())
      return checkpoints::wholeTensors(options.fileBytes);
    Result<checkpoints::Checkpoint> like = checkpoints::Checkpoint::open(options.like);
    if (!like)
      return like.diagnostics();
    return checkpoints::layoutLike(like->catalog());
  }

  /// The value of each --define.
  Result<transform::Variables> variables() const {
    transform::Variables variables;
    for (const std::string &definition : options.definitions) {
      size_t equals = definition.find('=');
      if (equals == 0 || equals == std::string::npos)
        return errorAt("--define " + definition, "has no name or no value, expected NAME=VALUE");
      variables[definition.substr(0, equals)] = definition.substr(equals + 1);
    }
    return variables;
  }

  /// A source as PATH, or as NAME=PATH.
  Result<checkpoints::TransformInput> openInput(const std::string &argument, bool isOnly) const {
    size_t equals = argument.find('=');
    bool hasPrefix = equals != std::string::npos && !std::filesystem::exists(argument);
    if (!hasPrefix && !isOnly)
      return errorAt(argument, "has no prefix, expected NAME=PATH for each of several sources");
    std::string path = hasPrefix ? argument.substr(equals + 1) : argument;
    Result<checkpoints::Checkpoint> checkpoint = checkpoints::Checkpoint::open(path);
    if (!checkpoint)
      return checkpoint.diagnostics();
    return checkpoints::TransformInput{hasPrefix ? argument.substr(0, equals) : "", std::move(*checkpoint)};
  }

  Result<std::vector<transform::Statement>> statements() const {
    Result<transform::Variables> values = variables();
    if (!values)
      return values.diagnostics();
    Result<std::string> text = readFile(options.transform);
    if (!text)
      return text.diagnostics();
    return transform::parseStatements(*text, options.transform, *values);
  }

  Result<int> transform() const {
    if (options.command != "convert" || options.paths.size() < 2)
      return errorAt("--transform", "found another command or one path, expected convert FROM... TO");
    Result<std::vector<transform::Statement>> list = statements();
    if (!list)
      return list.diagnostics();
    std::vector<checkpoints::TransformInput> inputs;
    for (size_t i = 0; i + 1 < options.paths.size(); ++i) {
      Result<checkpoints::TransformInput> input = openInput(options.paths[i], options.paths.size() == 2);
      if (!input)
        return input.diagnostics();
      inputs.push_back(std::move(*input));
    }
    checkpoints::TransformOptions transformOptions{options.isInverse};
    std::optional<checkpoints::Catalog> like;
    if (!options.like.empty()) {
      Result<checkpoints::Checkpoint> checkpoint = checkpoints::Checkpoint::open(options.like);
      if (!checkpoint)
        return checkpoint.diagnostics();
      like = checkpoint->catalog();
      transformOptions.result = &*like;
    }
    Result<checkpoints::TransformedCheckpoint> source =
        checkpoints::TransformedCheckpoint::create(std::move(inputs), *list, transformOptions);
    if (!source)
      return source.diagnostics();
    fmt::print(stderr, "{}", source->warnings().text());
    return convert(*source);
  }

  Result<int> convert(checkpoints::TensorSource &source) const {
    const std::string &target = options.paths.back();
    bool isFile = target.ends_with(".safetensors") || target.ends_with(".pdiparams");
    if (isFile &&
        (!options.shardings.empty() || !options.like.empty() || options.flatten || options.fileBytes))
      return errorAt(target, "a layout is given for one file, expected a folder as the target");
    if (isFile) {
      Result<void> written = checkpoints::convertToFile(source, target);
      return written ? Result<int>(ExitCode::success) : written.diagnostics();
    }
    Result<std::unique_ptr<checkpoints::Layout>> chosen = layout();
    if (!chosen)
      return chosen.diagnostics();
    Result<void> written = checkpoints::convert(source, target, **chosen);
    return written ? Result<int>(ExitCode::success) : written.diagnostics();
  }

  const Options &options;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line("proa-checkpoint", "Shows, verifies, compares and converts checkpoints.",
                   "  proa-checkpoint inspect run\n"
                   "  proa-checkpoint verify run\n"
                   "  proa-checkpoint convert run model.safetensors\n"
                   "  proa-checkpoint convert run sharded --shardings plan.json\n"
                   "  proa-checkpoint diff run sharded\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  return runTool(line, [&] {
    Result<int> code = Tool(options).run();
    return finishOutput(code ? *code : fail(code.diagnostics()));
  });
}
