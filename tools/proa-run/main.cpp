// proa-run: runs a program once or many times, shows or checks its outputs, measures it.
#include "lib/support/Files.h"
#include "tools/common/CommandLine.h"
#include "tools/common/ProgressBar.h"
#include "tools/common/Target.h"
#include "tools/common/Training.h"
#include "tools/proa-run/Feeds.h"
#include "tools/proa-run/Show.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

using namespace proa;
using namespace proa::tools;

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string path;
  ModelOptions model;
  FeedOptions feeds;
  std::string outputs;
  std::string expect;    ///< empty: not asked for; defaultFile: the one beside the model
  std::string profile;   ///< empty: not asked for; table: on stdout
  std::string recompute; ///< empty: nothing
  AmpChoice amp;
  int repeat = 1;
  std::optional<int> warmup; ///< not given: one where runs are repeated
  bool json = false;

  static constexpr const char *beside = "beside the model";
  static constexpr const char *table = "table";
};

void declare(CommandLine &line, Options &options) {
  line.add_option("model", options.path,
                  "Folder of a program and its weights, or the program's file; '-': stdin")
      ->required()
      ->type_name("MODEL");
  line.add_option("--params", options.model.parameters, "Weights file, where it is not beside the program")
      ->type_name("FILE");
  line.add_option("-i,--inputs", options.feeds.sources,
                  "x.safetensors, x.npy, NAME=x.npy or random:SEED; default: inputs.safetensors beside the "
                  "model, else random:0")
      ->allow_extra_args(false)
      ->type_name("SOURCE");
  line.add_option("--dims", options.feeds.dims, "Dims of a random feed that the program leaves open")
      ->allow_extra_args(false)
      ->type_name("NAME=1x3x224x224");
  line.add_option("--feeds", options.model.feeds, "Fed variables, for programs without feed ops")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option("--fetches", options.model.fetches, "Fetched variables, for programs without fetch ops")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option("-o,--outputs", options.outputs, "Writes the outputs of the last run")
      ->check(checkName)
      ->type_name("FILE.safetensors");
  line.add_flag(std::string("--expect{") + Options::beside + "}", options.expect,
                "Compares the outputs of the first run with expected.safetensors beside the model, or with "
                "--expect=FILE");
  line.add_option("--threads", options.model.threads, "Threads of a run; 0: as many as there are cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  line.add_option("--seed", options.model.seed, "What random ops without a seed of their own draw from")
      ->capture_default_str();
  line.add_option("--repeat", options.repeat, "Measured runs")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  line.add_option(
          "--warmup", options.warmup,
          "Runs before the measured ones; default: one where --repeat is above 1, since the first run "
          "makes kernels and packs weights")
      ->check(CLI::Range(0, 1000000000));
  line.add_flag(std::string("--profile{") + Options::table + "}", options.profile,
                "Prints the time of each step; --profile=FILE.json writes a Chrome trace");
  line.add_flag(std::string("--recompute{") + cheapRecomputation + "}", options.recompute,
                "Computes values once more instead of keeping them: what costs next to no time, or with "
                "--recompute=BYTES until the values of a run take no more")
      ->check(checkMemoryBudget);
  declareAmp(line, options.amp);
  declareCpu(line, options.model.cpu);
  line.add_option("--micro-batches", options.model.microBatches,
                  "Computes gradients for so many parts of the batch")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  line.add_option("--cache", options.model.cacheDirectory, "Where compiled programs are kept; 'off': nowhere")
      ->check(checkName)
      ->type_name("DIR|off");
  line.add_option("--dump", options.model.dumpDirectory, "Writes the IR after each stage into this directory")
      ->check(checkName)
      ->type_name("DIR");
  line.add_flag("--json", options.json, "Prints times and comparisons as one line of JSON, and nothing else");
}

/// Runs the program and says what came out.
class Runner {
public:
  explicit Runner(Options options) : options(std::move(options)) {}

  int run() {
    if (Result<void> done = work(); !done) {
      bar.clear();
      return fail(done.problems());
    }
    return allPassed ? ExitCode::success : ExitCode::failure;
  }

private:
  std::string besideModel(const std::string &file) const {
    fs::path path(options.path);
    return ((fs::is_directory(path) ? path : path.parent_path()) / file).string();
  }

  /// A case folder says what is fed, fetched, and how close outputs must be.
  Result<void> readMeta() {
    std::string file = besideModel("meta.json");
    if (!fs::exists(file))
      return {};
    Result<check::CaseMeta> read = check::readCaseMeta(file);
    if (!read)
      return read.problems();
    meta = std::move(*read);
    prefix = meta.training ? meta.stepPrefix(0) : "";
    if (options.model.feeds.empty())
      options.model.feeds = meta.feeds;
    if (options.model.fetches.empty())
      options.model.fetches = meta.fetches;
    return {};
  }

  Result<void> readExpected() {
    if (options.expect.empty())
      return {};
    Result<check::Tensors> read = params::readSafetensors(
        options.expect == Options::beside ? besideModel("expected.safetensors") : options.expect);
    if (!read)
      return read.problems();
    expected = check::withPrefix(*read, prefix);
    return {};
  }

  Result<void> work() {
    Problems problems;
    checkOutputFile(options.outputs, problems);
    if (options.profile != Options::table)
      checkOutputFile(options.profile, problems);
    if (!problems.empty())
      return problems;
    if (Result<void> done = readMeta(); !done)
      return done;
    if (Result<void> done = readExpected(); !done)
      return done;
    options.model.progress = [this](const std::string &what, double part) { bar.show(what, part); };
    Result<Model> model = Model::open(options.path, options.model);
    if (!model)
      return model.problems();
    options.feeds.defaultFile = besideModel("inputs.safetensors");
    options.feeds.prefix = prefix;
    Result<check::Tensors> feeds = makeFeeds(model->feeds(), options.feeds);
    if (!feeds)
      return feeds.problems();
    check::giveLods(*feeds, meta);
    if (Result<void> prepared = model->prepare(*feeds); !prepared)
      return prepared;
    bar.clear();
    if (Result<void> done = measure(*model, *feeds); !done)
      return done;
    return report(*model);
  }

  /// The first run is compared; state of a training program moves on with the others.
  Result<void> measure(Model &model, const check::Tensors &feeds) {
    std::vector<double> times;
    double first = 0;
    int warmup = options.warmup.value_or(options.repeat > 1 ? 1 : 0);
    for (int i = 0; i < warmup + options.repeat; ++i) {
      // A profile is of the last run alone, so that the others are measured without its cost.
      model.enableProfile(!options.profile.empty() && i + 1 == warmup + options.repeat);
      auto start = std::chrono::steady_clock::now();
      Result<std::vector<NamedTensor>> ran = model.run(feeds);
      std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      if (!ran)
        return ran.problems();
      outputs = std::move(*ran);
      if (i == 0 && !options.expect.empty())
        compareOutputs();
      if (i == 0)
        first = time.count();
      if (i >= warmup)
        times.push_back(time.count());
    }
    runTimes = summarize(std::move(times));
    runTimes.first = first;
    return {};
  }

  void compareOutputs() {
    compared = check::compareOutputs(outputs, expected, meta);
    for (const check::ComparedOutput &output : compared) {
      allPassed = allPassed && output.comparison.passed();
      if (options.json)
        continue;
      auto got = std::find_if(outputs.begin(), outputs.end(), [&](auto &o) { return o.name == output.name; });
      if (got == outputs.end())
        fmt::print("{}  {}: FAIL\n", output.name, output.comparison.reason);
      else
        fmt::print("{}", comparisonText(*got, expected.at(output.name), output.comparison));
    }
  }

  Result<void> report(const Model &model) {
    if (!options.outputs.empty()) {
      check::Tensors tensors;
      for (const NamedTensor &output : outputs)
        tensors.insert_or_assign(output.name, output.tensor);
      if (Result<void> written = params::writeSafetensors(options.outputs, tensors); !written)
        return written;
    }
    if (options.json) {
      fmt::print("{}", timesJson(options.path, model.threads(), model.times(), runTimes, model.arenaBytes(),
                                 compared));
      return writeProfile(model);
    }
    if (options.expect.empty())
      for (const NamedTensor &output : outputs)
        fmt::print("{}", outputText(output));
    fmt::print("{}", timesText(model.times(), runTimes, model.arenaBytes()));
    if (options.profile == Options::table)
      fmt::print("{}", model.profileTable());
    if (!options.expect.empty())
      fmt::print("{}\n", allPassed ? "PASS" : "FAIL");
    return writeProfile(model);
  }

  Result<void> writeProfile(const Model &model) {
    if (options.profile.empty() || options.profile == Options::table)
      return {};
    return writeFile(options.profile, model.profileTrace());
  }

  Options options;
  check::CaseMeta meta;
  std::string prefix;
  check::Tensors expected;
  std::vector<NamedTensor> outputs;
  std::vector<check::ComparedOutput> compared;
  RunTimes runTimes;
  ProgressBar bar;
  bool allPassed = true;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line(
      "proa-run", "Runs a legacy program: imports it, compiles it for the shapes of its feeds, executes it.",
      "  proa-run test/corpus/models/nlp/bert --expect\n"
      "  proa-run resnet50 --inputs image.npy --outputs scores.safetensors\n"
      "  proa-run model.pdmodel --params model.pdiparams --dims x=8x3x224x224\n"
      "  proa-run test/corpus/realistic/resnet50 --threads 1 --warmup 3 --repeat 20 --profile\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  options.path = inputPath(options.path);
  options.model.memoryBudget = memoryBudgetOf(options.recompute);
  options.model.amp = ampOf(options.amp);
  return runTool(line, [&] { return Runner(std::move(options)).run(); });
}
