// proa-run: runs a program once or many times, shows or checks its outputs, measures it.
#include "lib/support/Files.h"
#include "lib/support/LodEntries.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Processes.h"
#include "tools/common/ProgressBar.h"
#include "tools/common/Target.h"
#include "tools/common/Training.h"
#include "tools/proa-run/Feeds.h"
#include "tools/proa-run/Show.h"
#include "tools/proa-run/State.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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
  std::vector<std::string> set;
  std::string outputs;
  std::string saved;     ///< file for parameters; empty: none
  std::string expect;    ///< file with expected outputs, or `beside`; empty: none
  std::string profile;   ///< trace file, or `table` for stdout; empty: none
  std::string recompute; ///< empty: no recomputation
  AmpChoice amp;
  MeshChoice mesh;
  OffloadChoice offload;
  int repeat = 1;
  std::optional<int> warmup; ///< default: 1 if runs are repeated
  bool json = false;
  bool quiet = false;

  static constexpr const char *beside = "beside the model";
  static constexpr const char *table = "table";
};

void declare(CommandLine &line, Options &options) {
  line.add_option("model", options.path,
                  "Folder of a program and its weights, the program's file, or an IR file (.mlir, .mlirbc); "
                  "'-': stdin")
      ->required()
      ->type_name("MODEL");
  line.add_option("--function", options.model.function,
                  "Function of an IR file; default: main, else the only public function")
      ->type_name("NAME");
  line.add_option(
          "--params", options.model.parameters,
          "Weights file, or random:SEED; default: the file in the model's folder, or random:0 for an IR "
          "file without weights")
      ->type_name("FILE");
  line.add_option("--set", options.set,
                  "Sets a parameter or state variable before the first run: NAME=VALUE, NAME=x.npy, or the "
                  "entries of [NAME=]x.safetensors; entry stepK/NAME before run K")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE|FILE");
  line.add_option("--save-params", options.saved, "Writes parameters and state after the last run")
      ->check(checkName)
      ->type_name("FILE.safetensors|FILE.pdiparams");
  line.add_option(
          "-i,--inputs", options.feeds.sources,
          "Feeds: x.safetensors, x.npy, NAME=x.npy or random:SEED; default: inputs.safetensors in the "
          "model's folder, else random:0")
      ->allow_extra_args(false)
      ->type_name("SOURCE");
  line.takeMoreValues("--inputs", isFeedSource);
  line.takeMoreValues("-i", isFeedSource);
  line.add_option("--dims", options.feeds.dims, "Dims of random feeds that are dynamic in the program")
      ->allow_extra_args(false)
      ->type_name("NAME=1x3x224x224,...");
  line.takeMoreValues("--dims", isFeedDims);
  line.add_option("--feeds", options.model.feeds,
                  "Fed variables; any variable may be fed. Ops that no fetch needs are left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option("--fetches", options.model.fetches, "Fetched variables; any variable may be fetched")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option("-o,--outputs", options.outputs, "Writes the outputs of the last run")
      ->check(checkName)
      ->type_name("FILE.safetensors");
  line.add_flag(
      std::string("--expect{") + Options::beside + "}", options.expect,
      "Compares the outputs of the first run with expected.safetensors in the model's folder, or with "
      "--expect=FILE");
  line.takeNextValue("--expect", [](const std::string &text) { return text.ends_with(".safetensors"); });
  line.add_option("--threads", options.model.threads, "Number of threads of a run; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  line.add_option("--seed", options.model.seed, "Seed of random ops without a seed attribute")
      ->check(checkSeed)
      ->capture_default_str();
  line.add_flag("--check-finite", options.model.checkFinite,
                "Stops with an error at the first op that makes a NaN or Inf, and names the op");
  line.add_option("--repeat", options.repeat,
                  "Number of measured runs; with 1, only the time of a second run is measured")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  line.add_option(
          "--warmup", options.warmup,
          "Number of runs before the measured ones; default: 1 if --repeat is above 1, because the first "
          "run also creates kernels and packs weights")
      ->check(CLI::Range(0, 1000000000));
  line.add_flag(
      std::string("--profile{") + Options::table + "}", options.profile,
      "Prints the time of each step (with --json as \"steps\"); --profile=FILE.json writes a Chrome "
      "trace");
  line.add_flag(std::string("--recompute{") + cheapRecomputation + "}", options.recompute,
                "Recomputes values instead of keeping them: those that are nearly free, or with "
                "--recompute=BYTES until peak memory is at most that many bytes (best effort)")
      ->check(checkMemoryBudget);
  // A file for --profile needs the equals sign, because program.json may be the model.
  line.takeNextValue("--profile", [](const std::string &) { return false; });
  line.takeNextValue("--recompute", isMemoryBudget);
  declareAmp(line, options.amp);
  declareMesh(line, options.mesh);
  declareSimulatedMesh(line, options.mesh);
  declareOffload(line, options.offload);
  declareCpu(line, options.model.cpu);
  declareNoOptimize(line, options.model.optimizesCode);
  declareTf32(line, options.model.allowsTf32);
  declareAtomicSums(line, options.model.allowsAtomicSums);
  declareTarget(line, options.model.target);
  line.add_option("--micro-batches", options.model.microBatches,
                  "Number of equal parts of the batch for which gradients are computed one after the other")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  line.add_option("--cache", options.model.cacheDirectory,
                  "Folder of the cache of compiled programs; 'off': no cache")
      ->check(checkName)
      ->type_name("DIR|off");
  line.add_option("--dump", options.model.dumpDirectory, "Writes the IR after each stage into this folder")
      ->check(checkName)
      ->type_name("DIR");
  declareRemarks(line, options.model.remarks);
  line.add_flag("-q,--quiet", options.quiet, "Omits warnings");
  line.add_flag("--json", options.json,
                "Prints times and comparisons, or errors, as one line of JSON and nothing else");
}

/// Runs the program and reports the results.
class Runner {
public:
  explicit Runner(Options options) : options(std::move(options)) {}

  int run() {
    if (Result<void> done = work(); !done) {
      bar.clear();
      return fail(done.diagnostics());
    }
    return allPassed ? ExitCode::success : ExitCode::failure;
  }

private:
  std::string besideModel(const std::string &file) const {
    fs::path path(options.path);
    return ((fs::is_directory(path) ? path : path.parent_path()) / file).string();
  }

  /// An IR file describes its own interface.
  bool isIrPath() const { return options.path.ends_with(".mlir") || options.path.ends_with(".mlirbc"); }

  /// Reads feeds, fetches and tolerances of a case folder.
  Result<void> readMeta() {
    std::string file = besideModel("meta.json");
    if (isIrPath() || !fs::exists(file))
      return {};
    Result<params::ModelMeta> read = params::readModelMeta(file);
    if (!read)
      return read.diagnostics();
    meta = std::move(*read);
    prefix = meta.training ? meta.stepPrefix(0) : "";
    options.feeds.isPart = !options.model.feeds.empty() || !options.model.fetches.empty();
    if (options.model.feeds.empty())
      options.model.feeds = meta.feeds;
    if (options.model.fetches.empty())
      options.model.fetches = meta.fetches;
    return {};
  }

  Result<void> readExpected() {
    if (options.expect.empty())
      return {};
    Result<params::Tensors> read = params::readSafetensors(
        options.expect == Options::beside ? besideModel("expected.safetensors") : options.expect);
    if (!read)
      return read.diagnostics();
    expected = tensorsOfRun(*read, prefix);
    Diagnostics diagnostics;
    for (auto &[name, lod] : takeLods(expected, options.expect, diagnostics))
      meta.expectedLod[name] = lod;
    return diagnostics;
  }

  Result<void> work() {
    Diagnostics diagnostics;
    checkOutputFile(options.outputs, diagnostics);
    checkOutputFile(options.saved, diagnostics);
    if (options.profile != Options::table)
      checkOutputFile(options.profile, diagnostics);
    if (!diagnostics.empty())
      return diagnostics;
    if (Result<void> done = readMeta(); !done)
      return done;
    if (Result<void> done = readExpected(); !done)
      return done;
    options.model.progress = [this](const std::string &what, double part) { bar.show(what, part); };
    if (!options.quiet || !options.model.remarks.empty())
      options.model.onDiagnostic = [this](const Diagnostic &diagnostic) {
        if (options.quiet && diagnostic.severity == Diagnostic::Severity::Warning)
          return;
        bar.clear();
        fmt::print(stderr, "{}", diagnostic.text());
      };
    if (Result<void> done = readRandomSeed(); !done)
      return done;
    Result<Model> model = Model::open(options.path, options.model);
    if (!model)
      return model.diagnostics();
    isMain = model->rank() == 0;
    noteLoneProcess(*model);
    if (Result<void> done = setParameters(*model); !done)
      return done;
    options.feeds.defaultFile = isIrPath() ? "" : besideModel("inputs.safetensors");
    options.feeds.prefix = prefix;
    options.feeds.ignored = meta.stateInputs;
    Result<params::Tensors> feeds = makeFeeds(model->feeds(), options.feeds);
    if (!feeds)
      return feeds.diagnostics();
    giveDeclaredLods(*feeds, meta);
    if (Result<void> set = states.apply(*model, 0); !set)
      return set;
    if (Result<void> prepared = model->prepare(*feeds); !prepared)
      return prepared;
    bar.clear();
    if (options.model.checkFinite && !options.json)
      noteNonFinite(*model, *feeds);
    if (Result<void> done = measure(*model, *feeds); !done)
      return done;
    return report(*model);
  }

  /// Warns in each process of mpirun that it is not a rank of a mesh.
  void noteLoneProcess(const Model &model) const {
    runtime::StartedRank own = runtime::rankStartedByMpi();
    if (own.size > 1 && model.rankCount() == 1 && !options.quiet)
      fmt::print(stderr,
                 "warning: {}: process {} of {} belongs to no mesh and runs the whole program by itself; "
                 "expected an IR file with meshes, or --mesh, --shardings or --strategy, without "
                 "--simulate-mesh\n",
                 options.path, own.rank, own.size);
  }

  /// Parses `--params random:SEED`.
  Result<void> readRandomSeed() {
    constexpr std::string_view random = "random:";
    std::string &text = options.model.parameters;
    if (!text.starts_with(random))
      return {};
    uint64_t seed = 0;
    const char *end = text.data() + text.size();
    auto [next, error] = std::from_chars(text.data() + random.size(), end, seed);
    if (error != std::errc() || next != end)
      return errorAt("--params", "found '" + text + "', expected random:SEED with a number");
    randomSeed = seed;
    text.clear();
    return {};
  }

  /// Sets random weights if they are requested, or if an IR file has none; then the values of the case and of
  /// --set.
  Result<void> setParameters(Model &model) {
    bool replaces = randomSeed.has_value();
    if (!randomSeed && isIrPath() && options.model.parameters.empty() && lacksParameters(model)) {
      randomSeed = 0;
      if (!options.quiet && isMain)
        fmt::print(stderr, "warning: {}: no weights; random weights are used (--params random:0)\n",
                   options.path);
    }
    if (randomSeed)
      if (Result<void> done = setRandomParameters(model, *randomSeed, replaces); !done)
        return done;
    Result<StateValues> given = StateValues::read(model.parameters(), options.set);
    if (!given)
      return given.diagnostics();
    states = std::move(*given);
    if (meta.stateInputs.empty() || !options.feeds.sources.empty())
      return {};
    Result<params::Tensors> inputs = params::readSafetensors(besideModel("inputs.safetensors"));
    if (!inputs)
      return inputs.diagnostics();
    params::Tensors first = params::withPrefix(*inputs, prefix);
    Result<params::Tensors> values = params::takeStateInputs(first, meta, prefix);
    if (!values)
      return values.diagnostics();
    states.add(0, *values);
    return {};
  }

  /// Reports non-finite inputs, for which no op is responsible.
  void noteNonFinite(const Model &model, const params::Tensors &feeds) const {
    std::string notes;
    for (const auto &[name, tensor] : feeds)
      notes += nonFiniteText("feed", name, tensor);
    for (const TensorInfo &info : model.parameters())
      if (Result<Tensor> value = model.parameter(info.name)) // on a mesh, all processes take part
        notes += nonFiniteText("parameter", info.name, *value);
    if (isMain)
      fmt::print(stderr, "{}", notes);
  }

  /// Compares the first run. The state of a training program advances with each run.
  Result<void> measure(Model &model, const params::Tensors &feeds) {
    std::vector<double> times;
    double first = 0;
    int warmup = options.warmup.value_or(options.repeat > 1 ? 1 : 0);
    for (int i = 0; i < warmup + options.repeat; ++i) {
      // Only the last run is profiled, so that the profile does not slow down the others.
      bool isLast = i + 1 == warmup + options.repeat && (options.repeat > 1 || options.warmup);
      model.enableProfile(!options.profile.empty() && isLast);
      if (Result<void> set = i == 0 ? Result<void>() : states.apply(model, i); !set)
        return set;
      auto start = std::chrono::steady_clock::now();
      Result<std::vector<NamedTensor>> ran = model.run(feeds);
      std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      if (!ran)
        return ran.diagnostics();
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
    runTimes.onlyFirst = options.repeat == 1 && options.warmup == 0;
    return options.repeat == 1 && !options.warmup ? measureAgain(model, feeds) : Result<void>();
  }

  /// Measures a second run, because the first one also creates kernels and packs weights. Skipped if the
  /// first run was very slow.
  Result<void> measureAgain(Model &model, const params::Tensors &feeds) {
    constexpr double longestFirst = 10000;
    runTimes.onlyFirst = runTimes.first > longestFirst && options.profile.empty();
    if (runTimes.onlyFirst)
      return {};
    model.enableProfile(!options.profile.empty());
    Result<double> time = model.measure(feeds);
    if (!time)
      return time.diagnostics();
    double first = runTimes.first;
    runTimes = summarize({*time});
    runTimes.first = first;
    return {};
  }

  void compareOutputs() {
    compared = params::compareOutputs(outputs, expected, meta);
    for (const params::ComparedOutput &output : compared) {
      allPassed = allPassed && output.comparison.passed();
      if (options.json || !isMain)
        continue;
      auto got = std::find_if(outputs.begin(), outputs.end(), [&](auto &o) { return o.name == output.name; });
      if (got == outputs.end())
        fmt::print("{}  {}: FAIL\n", output.name, output.comparison.reason);
      else
        fmt::print("{}", comparisonText(*got, expected.at(output.name), output.comparison));
    }
    for (const Diagnostic &diagnostic : params::compareLods(outputs, meta)) {
      allPassed = false;
      if (!options.json && isMain)
        fmt::print("{}  {}: FAIL\n", diagnostic.location, diagnostic.message);
      compared.push_back({diagnostic.location, {.reason = diagnostic.message, .first = {}}});
    }
  }

  Result<void> report(const Model &model) {
    if (!options.saved.empty())
      if (Result<void> saved = model.saveParameters(options.saved); !saved)
        return saved;
    if (!isMain)
      return {};
    if (!options.outputs.empty()) {
      params::Tensors tensors;
      for (const NamedTensor &output : outputs)
        tensors.insert_or_assign(output.name, output.tensor);
      if (Result<void> written = params::writeSafetensors(options.outputs, withLods(tensors)); !written)
        return written;
    }
    if (options.json) {
      if (Result<void> written = writeProfile(model); !written)
        return written;
      fmt::print("{}", reportJson({.model = options.path,
                                   .threads = model.threads(),
                                   .times = model.times(),
                                   .runs = runTimes,
                                   .arenaBytes = model.arenaBytes(),
                                   .memoryBudget = options.model.memoryBudget,
                                   .compared = compared,
                                   .steps = model.profileSteps()}));
      return {};
    }
    if (options.expect.empty())
      for (const NamedTensor &output : outputs)
        fmt::print("{}", outputText(output));
    fmt::print("{}", timesText(model.times(), runTimes, model.arenaBytes()));
    std::fflush(stdout);
    fmt::print(stderr, "{}", budgetText(options.model.memoryBudget, model.arenaBytes()));
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
  params::ModelMeta meta;
  std::string prefix;
  params::Tensors expected;
  StateValues states;
  std::optional<uint64_t> randomSeed; ///< seed of random parameters
  std::vector<NamedTensor> outputs;
  std::vector<params::ComparedOutput> compared;
  RunTimes runTimes;
  ProgressBar bar;
  bool allPassed = true;
  bool isMain = true; ///< one process of a mesh prints and writes files
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line("proa-run",
                   "Runs a legacy program: imports it, compiles it for the shapes of its feeds, executes it.",
                   "  proa-run test/corpus/models/nlp/bert --expect\n"
                   "  proa-run resnet50 --inputs image.npy --outputs scores.safetensors\n"
                   "  proa-run model.pdmodel --params model.pdiparams --dims x=8x3x224x224\n"
                   "  proa-run test/corpus/realistic/resnet50 --threads 1 --warmup 3 --repeat 20 --profile\n"
                   "  mpirun -n 4 proa-run gpt --mesh dp=2,mp=2 --shardings plan.json\n");
  declare(line, options);
  if (runtime::isStartedByMpi())
    printErrorsOfRanks(/*startsMpi=*/areProcessesOfMesh(argc, argv));
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  options.path = inputPath(options.path);
  options.model.memoryBudget = memoryBudgetOf(options.recompute);
  options.model.amp = ampOf(options.amp);
  options.model.mesh = meshOf(options.mesh);
  options.model.usesMeshOfProgram = runtime::isStartedByMpi();
  options.model.offload = offloadOf(options.offload);
  return runTool(line, [&] { return Runner(std::move(options)).run(); });
}
