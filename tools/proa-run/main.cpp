// proa-run: runs a program once or many times, shows or checks its outputs, measures it.
#include "lib/base/support/Cores.h"
#include "lib/base/support/CountText.h"
#include "lib/base/support/LodEntries.h"
#include "lib/checkpoint/Index.h"
#include "tools/common/Interrupt.h"
#include "tools/common/Processes.h"
#include "tools/common/ProgressBar.h"
#include "tools/common/Training.h"
#include "tools/proa-run/Benchmark.h"
#include "tools/proa-run/ChoosePlan.h"
#include "tools/proa-run/Compare.h"
#include "tools/proa-run/Options.h"
#include "tools/proa-run/Show.h"
#include "tools/proa-run/State.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include <sys/resource.h>

using namespace proa;
using namespace proa::tools;

namespace {

namespace fs = std::filesystem;

int64_t peakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) * 1024;
}

/// Runs the program and reports the results.
class Runner {
public:
  explicit Runner(ToolOptions given)
      : options(std::move(given)), warnings(options.warnings, [this] { bar.clear(); }) {}

  int run() {
    Result<void> done = work();
    warnings.finish();
    bar.clear();
    if (!done)
      return fail(done.diagnostics());
    if (isInterrupted)
      return Interrupt::exitCode;
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
    options.feeds.isSubgraph = !options.model.feeds.empty() || !options.model.fetches.empty();
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
        options.expect == ToolOptions::beside ? besideModel("expected.safetensors") : options.expect);
    if (!read)
      return read.diagnostics();
    expected = std::move(*read);
    if (options.rtol)
      meta.rtol = *options.rtol;
    if (options.atol)
      meta.atol = *options.atol;
    return {};
  }

  /// The expected tensors of a run, without LoD levels, which go to `meta`. Empty: none are known.
  Result<params::Tensors> expectedOf(int run) {
    params::Tensors ofRun = params::withPrefix(expected, params::ModelMeta::stepPrefix(run));
    if (ofRun.empty() && run == 0)
      ofRun = params::withPrefix(expected, "");
    Diagnostics diagnostics;
    for (auto &[name, lod] : takeLods(ofRun, options.expect, diagnostics))
      meta.expectedLod[name] = lod;
    if (!diagnostics.empty())
      return diagnostics;
    return ofRun;
  }

  Result<void> work() {
    Diagnostics diagnostics;
    checkOutputFile(options.outputs, diagnostics);
    checkOutputFile(options.saved, diagnostics);
    if (options.profile != ToolOptions::table)
      checkOutputFile(options.profile, diagnostics);
    if (!diagnostics.empty())
      return diagnostics;
    if (Result<void> done = loadPlugins(options.plugins); !done)
      return done;
    if (Result<void> done = readMeta(); !done)
      return done;
    if (Result<void> done = readExpected(); !done)
      return done;
    options.model.progress = [this](const std::string &what, double fraction) { bar.show(what, fraction); };
    if (!options.warnings.printsNone() || !options.model.remarks.empty())
      options.model.onDiagnostic = [this](const Diagnostic &diagnostic) { warnings.add(diagnostic); };
    if (Result<void> done = readRandomSeed(); !done)
      return done;
    Diagnostics wrongDims;
    options.model.feedDims = parseFeedDims(options.feeds.dims, wrongDims);
    if (!wrongDims.empty())
      return wrongDims;
    if (Result<void> chosen = choosePlan(options, [this](const std::string &text) { note(text); }); !chosen)
      return chosen;
    Result<Model> model = Model::open(options.path, options.model);
    if (!model)
      return model.diagnostics();
    isMain = model->rank() == 0;
    noteLoneProcess(*model);
    openTimes = model->times();
    Result<Session> session = model->session();
    if (!session)
      return session.diagnostics();
    if (Result<void> done = setParameters(*session); !done)
      return done;
    if (Result<void> done = readFeeds(*model); !done)
      return done;
    if (Result<void> set = states.apply(*session, 0); !set)
      return set;
    if (!options.compare.empty() || options.bisects)
      return compareAll(*session);
    if (Result<void> checked = checkBenchmark(*model); !checked)
      return checked;
    if (Result<void> prepared = session->prepare(feeds.front()); !prepared)
      return prepared;
    prepareTimes = session->times();
    if (Result<void> done = resume(*session); !done)
      return done;
    warnings.finish();
    bar.clear();
    if (options.model.checkFinite && !options.json)
      noteNonFinite(*session, feeds.front());
    if (firstRun == options.repeat)
      return {};
    if (Result<void> done = measure(*session); !done)
      return done;
    return report(*session);
  }

  /// Continues from the last checkpoint of --save-checkpoint, if there is one.
  Result<void> resume(Session &session) {
    if (!options.resumes)
      return {};
    if (!fs::exists(fs::path(options.checkpoint) / checkpoints::indexName)) {
      note("no checkpoint in " + options.checkpoint + "; the training starts with step 0");
      return {};
    }
    Result<int64_t> step = session.loadCheckpoint(options.checkpoint);
    if (!step)
      return step.diagnostics();
    firstRun = static_cast<int>(std::min<int64_t>(*step, options.repeat));
    note(fmt::format("{}: {} completed", options.checkpoint, countText(*step, "step")));
    return {};
  }

  /// Writes a checkpoint after run `run`, if one is due.
  Result<void> saveCheckpoint(Session &session, int run, bool isLast) {
    if (options.checkpoint.empty())
      return {};
    // On a mesh of processes, all of them complete the last checkpoint together.
    if (Result<void> finished =
            session.model().rankCount() > 1 || isLast ? session.finishCheckpoint() : Result<void>();
        !finished)
      return finished;
    if (!isLast && (!options.every || (run + 1) % *options.every != 0))
      return {};
    return session.saveCheckpoint(options.checkpoint, {.step = run + 1, .inBackground = !isLast});
  }

  /// Whether the ranks of the mesh are processes, which must do equally many runs.
  static bool hasOtherProcesses(const Model &model) {
    return model.rankCount() > 1 && runtime::rankStartedByMpi().size > 1;
  }

  Result<void> checkBenchmark(const Model &model) const {
    if (!options.checkpoint.empty() && !model.isTraining())
      return errorAt("--save-checkpoint", "the program is not a training program, expected one");
    if (options.duration > 0 && hasOtherProcesses(model))
      return errorAt("--duration", "processes of a mesh would end after different runs, expected --repeat");
    if (options.concurrency == 1)
      return {};
    if (options.duration == 0)
      return errorAt("--concurrency", "expected --duration with it");
    if (model.isTraining() || model.rankCount() > 1)
      return errorAt("--concurrency", "a training step or a rank of a mesh cannot run several times at once");
    return {};
  }

  Result<void> compareAll(const Session &session) {
    Result<bool> passed = compareRun(session, options, feeds.front());
    if (!passed)
      return passed.diagnostics();
    allPassed = *passed;
    return {};
  }

  Result<void> readFeeds(const Model &model) {
    options.feeds.defaultFile = isIrPath() ? "" : besideModel("inputs.safetensors");
    options.feeds.ignored = meta.stateInputs;
    if (options.feeds.sources.empty() && !model.feeds().empty() && !fs::exists(options.feeds.defaultFile))
      warn("no inputs.safetensors in the model's folder; random feeds are used (--inputs random:0)");
    Result<std::vector<params::Tensors>> created = makeFeedsOfSteps(model.feeds(), options.feeds);
    if (!created)
      return created.diagnostics();
    feeds = std::move(*created);
    for (params::Tensors &ofStep : feeds)
      giveDeclaredLods(ofStep, meta);
    return {};
  }

  /// Prints a remark on how the program is run.
  void note(const std::string &text) { print("note", text); }
  void warn(const std::string &text) { print("warning", text); }
  void print(const char *severity, const std::string &text) {
    if (options.warnings.printsNone() || !isMain)
      return;
    bar.clear();
    fmt::print(stderr, "{}: {}: {}\n", severity, options.path, text);
  }

  /// Warns in each process of mpirun that it is not a rank of a mesh.
  void noteLoneProcess(const Model &model) {
    runtime::StartedRank own = runtime::rankStartedByMpi();
    if (own.size > 1 && model.rankCount() == 1)
      warn(fmt::format(
          "process {} of {} belongs to no mesh and runs the whole program by itself; expected an IR file "
          "with meshes, or --mesh, --shardings or --strategy, without --simulate-mesh",
          own.rank, own.size));
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
  Result<void> setParameters(Session &session) {
    bool replaces = randomSeed.has_value();
    if (!randomSeed && isIrPath() && options.model.parameters.empty() && lacksParameters(session)) {
      randomSeed = 0;
      warn("no weights; random weights are used (--params random:0)");
    }
    if (randomSeed)
      if (Result<void> done = setRandomParameters(session, *randomSeed, replaces); !done)
        return done;
    Result<StateValues> given = StateValues::read(session.model().parameters(), options.set);
    if (!given)
      return given.diagnostics();
    states = std::move(*given);
    if (meta.stateInputs.empty() || !options.feeds.sources.empty())
      return {};
    Result<params::Tensors> inputs = params::readSafetensors(besideModel("inputs.safetensors"));
    if (!inputs)
      return inputs.diagnostics();
    for (int step = 0;; ++step) {
      std::string prefix = meta.stepPrefix(step);
      params::Tensors ofStep = params::withPrefix(*inputs, prefix);
      if (ofStep.empty() && step > 0)
        return {};
      Result<params::Tensors> values = params::takeStateInputs(ofStep, meta, prefix);
      if (!values)
        return values.diagnostics();
      states.add(step, *values);
    }
  }

  /// Reports non-finite inputs, for which no op is responsible.
  void noteNonFinite(const Session &session, const params::Tensors &feeds) const {
    std::string notes;
    for (const auto &[name, tensor] : feeds)
      notes += nonFiniteText("feed", name, tensor);
    for (const TensorInfo &info : session.model().parameters())
      if (Result<Tensor> value = session.parameter(info.name)) // on a mesh, all processes take part
        notes += nonFiniteText("parameter", info.name, *value);
    if (isMain)
      fmt::print(stderr, "{}", notes);
  }

  /// The feeds of a run. After the last step of a file they start again with its first one.
  const params::Tensors &feedsOf(int run) const { return feeds[static_cast<size_t>(run) % feeds.size()]; }

  /// Whether the outputs of each run are shown: runs of a training program, or with feeds of their own,
  /// differ.
  bool showsEachRun(const Session &session) const {
    return runCount > 1 && (session.model().isTraining() || feeds.size() > 1);
  }

  /// Whether the runs end after run `run`, because the user interrupted them. Processes of a mesh continue:
  /// all of them would have to stop after the same run.
  bool endsAfter(const Session &session, int run) {
    if (!Interrupt::isRequested() || session.model().rankCount() > 1 || run + 1 == runCount)
      return false;
    isInterrupted = true;
    warn(fmt::format("interrupted after {} of {} runs", run + 1, runCount));
    return true;
  }

  /// Runs the program, and compares the runs of which outputs are expected.
  Result<void> measure(Session &session) {
    std::optional<Interrupt> interrupt;
    if (session.model().rankCount() == 1)
      interrupt.emplace();
    std::vector<double> times;
    double first = 0;
    // A training step changes the state, so only those that are asked for are run.
    int warmup = options.warmup.value_or(options.repeat > 1 && !session.model().isTraining() ? 1 : 0);
    int unmeasured = std::max(warmup, options.repeat > 1 && !options.warmup ? 1 : 0);
    runCount = warmup + options.repeat;
    if (feeds.size() > 1 && static_cast<size_t>(runCount) > feeds.size())
      note(fmt::format("the inputs hold {} steps; step {} starts with the first one again", feeds.size(),
                       feeds.size()));
    for (int i = firstRun; i < runCount; ++i) {
      // Only the last run is profiled, so that the profile does not slow down the others.
      session.enableProfile(!options.profile.empty() && i + 1 == runCount &&
                            (options.repeat > 1 || options.warmup));
      if (Result<void> set = i == 0 ? Result<void>() : states.apply(session, i); !set)
        return set;
      auto start = std::chrono::steady_clock::now();
      Result<std::vector<NamedTensor>> ran = session.run(feedsOf(i));
      std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      if (!ran)
        return ran.diagnostics();
      outputs = std::move(*ran);
      if (Result<void> done = show(session, i); !done)
        return done;
      if (i == firstRun) {
        first = time.count();
        session.finishCompilation(); // before runs are measured
      }
      if (i - firstRun >= unmeasured)
        times.push_back(time.count());
      bool isLast = endsAfter(session, i) || i + 1 == runCount;
      if (Result<void> saved = saveCheckpoint(session, i, isLast); !saved)
        return saved;
      if (isLast)
        break;
    }
    runTimes.onlyFirst = times.empty() || (options.repeat == 1 && options.warmup == 0);
    runTimes = times.empty() ? runTimes : summarize(std::move(times));
    runTimes.first = first;
    runTimes.onlyFirst = options.repeat == 1 && options.warmup == 0;
    if (options.duration > 0)
      return measureFor(session);
    return options.repeat == 1 && !options.warmup ? measureAgain(session, feeds.front()) : Result<void>();
  }

  /// A session with the parameters of another one, for runs at the same time.
  Result<Session> sessionLike(Session &session) {
    Result<Session> other = session.model().session();
    if (!other)
      return other;
    if (randomSeed || !options.set.empty()) // else the model has them
      for (const TensorInfo &info : session.model().parameters())
        if (Result<Tensor> value = session.parameter(info.name))
          if (Result<void> set = other->setParameter(info.name, *value); !set)
            return set.diagnostics();
    if (Result<void> prepared = other->prepare(feeds.front()); !prepared)
      return prepared.diagnostics();
    return other;
  }

  /// Measures runs for --duration, --concurrency of them at once.
  Result<void> measureFor(Session &session) {
    std::vector<Session> others;
    for (int i = 1; i < options.concurrency; ++i) {
      Result<Session> other = sessionLike(session);
      if (!other)
        return other.diagnostics();
      others.push_back(std::move(*other));
    }
    BenchmarkRequest request{options.duration, {}, [] { return Interrupt::isRequested(); }};
    auto addThread = [&](Session &one) {
      request.runs.push_back([this, &one]() -> Result<void> {
        auto ran = one.run(feeds.front());
        return ran ? Result<void>() : Result<void>(ran.diagnostics());
      });
    };
    addThread(session);
    for (Session &other : others)
      addThread(other);
    Result<BenchmarkResult> measured = benchmark(request);
    if (!measured)
      return measured.diagnostics();
    double first = runTimes.first;
    runTimes = summarize(std::move(measured->milliseconds));
    runTimes.first = first;
    runTimes.seconds = measured->seconds;
    runTimes.concurrency = options.concurrency;
    isInterrupted = Interrupt::isRequested();
    session.enableProfile(!options.profile.empty());
    Result<double> profiled = options.profile.empty() ? Result<double>(0) : session.measure(feeds.front());
    return profiled ? Result<void>() : Result<void>(profiled.diagnostics());
  }

  /// Compares the outputs of a run if some are expected, and shows single numbers of each run, such as a
  /// loss.
  Result<void> show(const Session &session, int run) {
    bool isOneOfMany = showsEachRun(session);
    if (isOneOfMany) {
      StepValues values = singleValuesOf(outputs, run);
      if (isMain && !options.json)
        fmt::print("{}", stepText(values));
      steps.push_back(std::move(values));
    }
    if (options.expect.empty())
      return {};
    Result<params::Tensors> ofRun = expectedOf(run);
    if (!ofRun)
      return ofRun.diagnostics();
    if (!ofRun->empty() || run == 0)
      compareOutputs(*ofRun, isOneOfMany ? params::ModelMeta::stepPrefix(run) : "");
    else if (session.model().isTraining() && !std::exchange(hasNotedUnexpected, true))
      note(fmt::format("outputs of step {} are not compared: none are expected", run));
    return {};
  }

  /// Measures a second run, because the first one also creates kernels and packs weights. Skipped if the
  /// first run was very slow; processes of a mesh do not decide by their own times.
  Result<void> measureAgain(Session &session, const params::Tensors &feeds) {
    constexpr double longestFirst = 10000;
    bool isAlone = !hasOtherProcesses(session.model());
    runTimes.onlyFirst = isAlone && runTimes.first > longestFirst && options.profile.empty();
    if (runTimes.onlyFirst)
      return {};
    // The code of kernels may have been replaced after the first run: caches lack it then.
    constexpr double shortFirst = 100;
    if (!isAlone || runTimes.first < shortFirst)
      if (Result<double> warm = session.measure(feeds); !warm)
        return warm.diagnostics();
    session.enableProfile(!options.profile.empty());
    Result<double> time = session.measure(feeds);
    if (!time)
      return time.diagnostics();
    double first = runTimes.first;
    runTimes = summarize({*time});
    runTimes.first = first;
    return {};
  }

  /// `prefix` is prepended to the names.
  void compareOutputs(const params::Tensors &ofRun, const std::string &prefix) {
    for (params::ComparedOutput &output : params::compareOutputs(outputs, ofRun, meta, prefix)) {
      allPassed = allPassed && output.comparison.passed();
      std::string name = output.name.substr(prefix.size());
      auto got = std::ranges::find(outputs, name, &NamedTensor::name);
      if (!options.json && isMain && got == outputs.end())
        fmt::print("{}  {}: FAIL\n", output.name, output.comparison.reason);
      else if (!options.json && isMain)
        fmt::print("{}", comparisonText({output.name, got->tensor}, ofRun.at(name), output.comparison));
      compared.push_back(std::move(output));
    }
    for (const Diagnostic &diagnostic : params::compareLods(outputs, meta)) {
      allPassed = false;
      if (!options.json && isMain)
        fmt::print("{}  {}: FAIL\n", diagnostic.location, diagnostic.message);
      compared.push_back({diagnostic.location, {.reason = diagnostic.message, .first = {}}});
    }
  }

  Result<void> report(const Session &session) {
    if (!options.saved.empty())
      if (Result<void> saved = session.saveParameters(options.saved); !saved)
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
      if (Result<void> written = writeProfile(session); !written)
        return written;
      fmt::print("{}", reportJson({.model = options.path,
                                   .threads = session.threads(),
                                   .openTimes = openTimes,
                                   .times = prepareTimes,
                                   .runs = runTimes,
                                   .arenaBytes = session.arenaBytes(),
                                   .peakResidentBytes = peakResidentBytes(),
                                   .memoryBudget = options.model.memoryBudget,
                                   .compared = compared,
                                   .values = steps,
                                   .outputs = infosOf(outputs),
                                   .steps = session.profileSteps()}));
      return {};
    }
    if (options.expect.empty())
      for (const NamedTensor &output : outputs)
        fmt::print("{}", outputText(output));
    fmt::print("{}", timesText(openTimes, prepareTimes, runTimes, session.arenaBytes(), peakResidentBytes()));
    std::fflush(stdout);
    fmt::print(stderr, "{}", budgetText(options.model.memoryBudget, session.arenaBytes()));
    if (options.profile == ToolOptions::table)
      fmt::print("{}", session.profileTable());
    if (!options.expect.empty())
      fmt::print("{}\n", allPassed ? "PASS" : "FAIL");
    return writeProfile(session);
  }

  Result<void> writeProfile(const Session &session) {
    if (options.profile.empty() || options.profile == ToolOptions::table)
      return {};
    return writeFile(options.profile, session.profileTrace());
  }

  ToolOptions options;
  ProgressBar bar;
  WarningPrinter warnings;
  ModelTimes openTimes;
  SessionTimes prepareTimes;
  params::ModelMeta meta;
  std::vector<params::Tensors> feeds; ///< of each step that the sources hold
  params::Tensors expected;           ///< of all runs, with prefixes
  int firstRun = 0;                   ///< above 0: of a resumed training
  int runCount = 1;
  StateValues states;
  std::optional<uint64_t> randomSeed; ///< seed of random parameters
  std::vector<NamedTensor> outputs;
  std::vector<params::ComparedOutput> compared;
  std::vector<StepValues> steps;
  RunTimes runTimes;
  bool allPassed = true;
  bool hasNotedUnexpected = false;
  bool isInterrupted = false;
  bool isMain = true; ///< one process of a mesh prints and writes files
};

} // namespace

int main(int argc, char **argv) {
  ToolOptions options;
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
  if (options.model.fetches == std::vector<std::string>{"all"}) {
    options.model.fetches.clear();
    options.model.fetchesAll = true;
  }
  if (options.concurrency > 1 && options.model.threads == 0)
    options.model.threads = std::max(1, availableCores() / options.concurrency);
  options.model.memoryBudget = memoryBudgetOf(options.recompute);
  options.model.amp = ampOf(options.amp);
  options.model.mesh = meshOf(options.mesh);
  options.model.usesMeshOfProgram = runtime::isStartedByMpi();
  options.model.offload = offloadOf(options.offload);
  return runTool(line, [&] { return Runner(std::move(options)).run(); });
}
