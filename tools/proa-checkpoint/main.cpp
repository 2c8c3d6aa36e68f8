// proa-checkpoint: shows, verifies, compares and converts checkpoints.
#include "lib/base/support/CountText.h"
#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Convert.h"
#include "lib/checkpoint/ConvertFiles.h"
#include "tools/common/CommandLine.h"
#include "tools/proa-checkpoint/ModelLayout.h"

#include <fmt/format.h>

using namespace proa;
using namespace proa::tools;

namespace {

struct Options {
  std::string command;
  std::vector<std::string> paths;
  checkpoints::ConvertOptions convert;
  std::vector<std::string> definitions;
  ModelLayoutOptions model;
};

void declareTransform(CommandLine &line, Options &options) {
  CLI::Option *transform =
      line.add_option(
              "--transform", options.convert.transform,
              "convert: composes the tensors by the statements of this file. There may be several FROM, "
              "each as NAME=PATH; names of their tensors are NAME.tensor")
          ->type_name("FILE");
  line.add_flag("--inverse", options.convert.isInverse, "convert: applies the inverse of the statements")
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
      line.add_option("--shardings", options.convert.shardings,
                      "convert: a file for each device of the mesh, with the shards of this "
                      "file of shardings (as proa-run --shardings); other tensors are whole")
          ->type_name("FILE");
  CLI::Option *like = line.add_option("--like", options.convert.like,
                                      "convert: the layout of this checkpoint; with "
                                      "--transform also the names of the result")
                          ->type_name("PATH")
                          ->excludes(shardings);
  CLI::Option *flatten =
      line.add_option("--flatten", options.convert.flatten,
                      "convert: N files; each has an equal shard of the elements of each tensor in row-major "
                      "order, as ZeRO shards them")
          ->type_name("N")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
          ->excludes(shardings)
          ->excludes(like);
  CLI::Option *fileSize =
      line.add_option(
              "--max-file-size", options.convert.fileBytes,
              "convert: whole tensors in files of at most this many bytes, or of one tensor; default: one "
              "file")
          ->type_name("BYTES")
          ->check(CLI::PositiveNumber)
          ->excludes(shardings)
          ->excludes(like)
          ->excludes(flatten);
  declareModelLayout(line, options.model)
      ->excludes(shardings)
      ->excludes(like)
      ->excludes(flatten)
      ->excludes(fileSize);
  declareTransform(line, options);
}

class Tool {
public:
  explicit Tool(const Options &options) : options(options) {}

  Result<int> run() {
    bool isConversion = options.command == "convert";
    if (!options.convert.transform.empty() && !isConversion)
      return errorAt("--transform", "found the command " + options.command + ", expected convert");
    size_t expected = options.command == "inspect" || options.command == "verify" ? 1 : 2;
    bool areMore = isConversion && !options.convert.transform.empty() && options.paths.size() > 2;
    if (options.paths.size() != expected && !areMore)
      return errorAt(options.command,
                     fmt::format("found {}, expected {}", countText(options.paths.size(), "path"), expected));
    if (isConversion)
      return convert();
    Result<checkpoints::Checkpoint> first = checkpoints::Checkpoint::open(options.paths[0]);
    if (!first)
      return first.diagnostics();
    if (options.command == "inspect")
      return inspect(*first);
    return options.command == "verify" ? verify(*first) : diff(*first);
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

  Result<int> convert() const {
    auto values = variables();
    if (!values)
      return values.diagnostics();
    checkpoints::ConvertOptions given = options.convert;
    given.variables = std::move(*values);
    if (!options.model.strategy.empty())
      given.layout = [this] { return layoutOfModel(options.model); };
    given.onWarning = [](const Diagnostic &warning) { fmt::print(stderr, "{}", warning.text()); };
    std::vector<std::string> sources(options.paths.begin(), options.paths.end() - 1);
    Result<void> converted = checkpoints::convertFiles(sources, options.paths.back(), given);
    return converted ? Result<int>(ExitCode::success) : converted.diagnostics();
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
                   "  proa-checkpoint convert run sharded --strategy dp2,mp2,zero1 --model net\n"
                   "  proa-checkpoint diff run sharded\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  return runTool(line, [&] {
    Result<int> code = Tool(options).run();
    return finishOutput(code ? *code : fail(code.diagnostics()));
  });
}
