#include "lib/check/CheckCase.h"

#include "lib/check/AdaptiveStates.h"
#include "lib/check/CaseFolder.h"
#include "lib/check/Differential.h"
#include "lib/check/ImportOnly.h"
#include "lib/check/ReferenceRun.h"
#include "lib/check/Schedules.h"
#include "lib/check/ShardCheck.h"
#include "lib/check/ViaOnnx.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace proa::check {
namespace {

/// The check of one case. Each step returns false if the result of the case is decided.
class Checker {
public:
  Checker(std::string folder, const CheckOptions &options) : folder(std::move(folder)), options(options) {}

  CaseResult check() {
    if (!readFolder())
      return std::move(result);
    if (options.mutants > 0)
      checkMutants();
    else if (options.sharding)
      checkShards();
    else if (options.reference)
      evaluate();
    else if (options.onnxRunner)
      runAllViaOnnx();
    else if (!meta.runnable)
      importOnly();
    else if (meta.training)
      train();
    else
      runAll();
    setStatus();
    return std::move(result);
  }

private:
  void enter(Stage stage) {
    result.stage = stage;
    options.onStage(stage);
  }

  bool failed(const Diagnostics &diagnostics) {
    result.status = Status::Failed;
    result.diagnostics.append(diagnostics);
    return false;
  }

  bool readFolder() {
    enter(Stage::Read);
    Result<CaseMeta> read = readCase(folder);
    if (!read)
      return failed(read.diagnostics());
    meta = std::move(*read);
    meta.rtol = options.rtol.value_or(meta.rtol);
    meta.atol = options.atol.value_or(meta.atol);
    Result<std::string> path = modelOfCase(folder);
    if (!path)
      return failed(path.diagnostics());
    model = *path;
    if (!meta.runnable)
      return true;
    Result<CaseTensors> tensors = readCaseTensors(folder);
    if (!tensors)
      return failed(tensors.diagnostics());
    inputs = std::move(tensors->inputs);
    expected = std::move(tensors->expected);
    return true;
  }

  /// Whether the gradient belongs to another parameter. Quantization passes list a gradient for the quantized
  /// weight, too.
  bool isOfOther(const std::string &parameter, const std::string &gradient) const {
    std::string owner = gradient.substr(0, gradient.find("@GRAD"));
    return owner != parameter && meta.parameterGradients.contains(owner);
  }

  /// A new session of the model, which is opened by the first call. It begins with the weights of the case.
  std::optional<Session> open() {
    if (!opened && !openModel())
      return std::nullopt;
    Result<Session> session = opened->session();
    if (!session) {
      failed(session.diagnostics());
      return std::nullopt;
    }
    return std::move(*session);
  }

  bool openModel() {
    enter(Stage::Import);
    ModelOptions modelOptions;
    modelOptions.threads = options.threads;
    modelOptions.cacheDirectory = options.cacheDirectory;
    modelOptions.feeds = meta.feeds;
    modelOptions.fetches = meta.fetches;
    modelOptions.decompose = options.decompose;
    modelOptions.cpu = options.cpu;
    modelOptions.codeOptimization =
        options.optimizesCode ? CodeOptimization::Always : CodeOptimization::Never;
    modelOptions.allowsTf32 = options.allowsTf32;
    modelOptions.allowsAtomicSums = options.allowsAtomicSums;
    modelOptions.target = options.target;
    modelOptions.specialization = options.specialization;
    modelOptions.memoryBudget = options.memoryBudget;
    modelOptions.microBatches = options.microBatches;
    modelOptions.amp = options.amp;
    modelOptions.mesh = options.mesh;
    modelOptions.offload = options.offload;
    modelOptions.onDiagnostic = options.onDiagnostic;
    // The listed gradients may be clipped or accumulated; with loss scaling each is listed twice.
    if (options.deriveGradients && meta.training)
      for (const auto &[parameter, gradient] : meta.parameterGradients)
        if (!parameter.ends_with("@GRAD") && !isOfOther(parameter, gradient))
          modelOptions.derivedGradients[parameter] = parameter + "@GRAD";
    Result<Model> model = Model::open(this->model, modelOptions);
    if (!model)
      return failed(model.diagnostics());
    opened = std::move(*model);
    return true;
  }

  /// Runs once and compares; `prefix` is the prefix of the tensors in inputs and expected.
  bool runOnce(Session &session, const std::string &prefix) {
    Tensors feeds = withPrefix(inputs, prefix);
    Result<Tensors> states = takeStateInputs(feeds, meta, prefix);
    if (!states)
      return failed(states.diagnostics());
    for (const auto &[name, value] : *states)
      if (Result<void> set = session.setParameter(name, value); !set)
        return failed(set.diagnostics());
    setLods(feeds, meta);
    enter(Stage::Compile);
    if (Result<void> prepared = session.prepare(feeds); !prepared)
      return failed(prepared.diagnostics());
    enter(Stage::Run);
    Result<std::vector<NamedTensor>> outputs = session.run(feeds);
    if (!outputs)
      return failed(outputs.diagnostics());
    enter(Stage::Compare);
    take(compareOutputs(*outputs, withPrefix(expected, prefix), meta, prefix, lowPrecision()));
    if (!options.amp)
      result.diagnostics.append(compareLods(*outputs, meta));
    return true;
  }

  std::optional<DType> lowPrecision() const {
    return options.amp ? std::optional(options.amp->dtype) : std::nullopt;
  }

  void take(std::vector<ComparedOutput> compared) {
    for (ComparedOutput &output : compared)
      result.outputs.push_back(std::move(output));
  }

  /// Each run starts from a fresh scope, so in a new session.
  void runAll() {
    for (int run = 0; run < meta.runs; ++run) {
      std::optional<Session> session = open();
      if (!session || !runOnce(*session, meta.runPrefix(run)))
        return;
    }
  }

  /// The steps share a state, which is compared after the last one.
  void train() {
    std::optional<Session> session = open();
    if (!session)
      return;
    Tensors finals = withPrefix(expected, "final/"), initial = statesOf(*session, finals);
    for (int step = 0; step < meta.steps; ++step)
      if (!runOnce(*session, meta.stepPrefix(step)))
        return;
    std::vector<NamedTensor> state;
    for (auto &[name, tensor] : finals) {
      Result<Tensor> value = session->parameter(name);
      if (!value) {
        failed(value.diagnostics());
        return;
      }
      state.push_back({name, *value});
    }
    std::vector<ComparedOutput> compared = compareOutputs(state, finals, meta, "final/", lowPrecision());
    if (options.amp)
      allowRoundingNoise(compared, "final/", initial, finals, statesOf(*session, finals), options.amp->dtype);
    take(std::move(compared));
  }

  /// Copies of the values of state variables: a run reuses their memory. Those without a value are left out.
  static Tensors statesOf(const Session &session, const Tensors &names) {
    Tensors values;
    for (const auto &[name, ignored] : names)
      if (Result<Tensor> value = session.parameter(name)) {
        Tensor copy(value->dtype(), value->dims());
        std::memcpy(copy.data(), value->data(), value->bytes());
        values.emplace(name, std::move(copy));
      }
    return values;
  }

  /// Cases without expected values: collectives, mixed precision without CPU kernels, very large models.
  void importOnly() {
    enter(Stage::Import);
    if (Result<void> imported = importAndVerify(model, meta, options.onDiagnostic); !imported)
      failed(imported.diagnostics());
  }

  void evaluate() {
    if (!meta.runnable || meta.training)
      return skip("the case has state, or no expected outputs");
    for (int run = 0; run < meta.runs && result.status == Status::Passed; ++run) {
      std::string prefix = meta.runPrefix(run);
      Tensors feeds = withPrefix(inputs, prefix);
      setLods(feeds, meta);
      enter(Stage::Run);
      Result<ReferenceRun> evaluated = runReference(model, meta, feeds, options.dynamicDims);
      if (!evaluated)
        failed(evaluated.diagnostics());
      else if (!evaluated->notEvaluated.empty())
        skip(evaluated->notEvaluated);
      else if (take(compareOutputs(evaluated->outputs, withPrefix(expected, prefix), meta, prefix));
               meta.compare != CompareKind::AllClose)
        compareRandom(evaluated->outputs, feeds, prefix);
    }
  }

  /// Kernels and evaluator use the same Philox stream, so random values are equal up to rounding.
  void compareRandom(const std::vector<NamedTensor> &evaluated, const Tensors &feeds,
                     const std::string &prefix) {
    std::optional<Session> session = open();
    if (!session)
      return;
    Result<std::vector<NamedTensor>> outputs = session->run(feeds);
    if (!outputs) {
      failed(outputs.diagnostics());
      return;
    }
    CaseMeta exact = meta;
    exact.compare = CompareKind::AllClose;
    exact.expectedStatistics.clear();
    Tensors references;
    for (const NamedTensor &output : evaluated)
      references[output.name] = output.tensor;
    take(compareOutputs(*outputs, references, exact, prefix));
  }

  void runAllViaOnnx() {
    if (!meta.runnable || meta.training)
      return skip("the case has state, or no expected outputs");
    for (int run = 0; run < meta.runs; ++run) {
      std::string prefix = meta.runPrefix(run);
      Tensors feeds = withPrefix(inputs, prefix);
      setLods(feeds, meta);
      ViaOnnxRun done =
          runViaOnnx(model, meta, feeds, *options.onnxRunner,
                     {options.opset, [this](Stage stage) { enter(stage); }, options.onDiagnostic});
      enter(done.outputs ? Stage::Compare : done.stage);
      if (!done.outputs) {
        failed(done.outputs.diagnostics());
        return;
      }
      take(compareOutputs(*done.outputs, withPrefix(expected, prefix), meta, prefix));
      result.diagnostics.append(compareLods(*done.outputs, meta));
    }
  }

  void checkShards() {
    if (!meta.runnable || meta.training)
      return skip("the case has state, or no expected outputs");
    enter(Stage::Run);
    std::string notEvaluated;
    Tensors feeds = withPrefix(inputs, meta.runPrefix(0));
    setLods(feeds, meta);
    ShardCheck check;
    if (Result<void> done = checkShardings(model, meta, feeds, {}, check, notEvaluated); !done)
      failed(done.diagnostics());
    else if (!check.differences.empty())
      for (const std::string &difference : check.differences)
        failed(errorAt("", difference));
    else if (!notEvaluated.empty() || check.cases == 0)
      skip(notEvaluated.empty() ? "no op that can be split" : notEvaluated);
  }

  void checkMutants() {
    if (!meta.runnable || meta.training || meta.runs != 1 || meta.compare != CompareKind::AllClose)
      return skip("the case has no expected outputs, or they are not a function of the feeds");
    enter(Stage::Run);
    setLods(inputs, meta);
    Result<DifferentialResult> done = compareMutants(model, meta, inputs, options.seed, options.mutants);
    if (!done)
      failed(done.diagnostics());
    else if (done->compared == 0)
      skip("the evaluator cannot run any of the mutants");
  }

  void skip(const std::string &reason) {
    result.status = Status::Skipped;
    result.diagnostics.add("not evaluated", reason);
  }

  void setStatus() {
    if (result.status != Status::Passed)
      return;
    for (const ComparedOutput &output : result.outputs)
      if (!output.comparison.passed())
        result.diagnostics.add(output.name, output.comparison.reason);
    if (!result.diagnostics.empty())
      result.status = Status::Failed;
  }

  std::string folder;
  std::string model; ///< the path of the program
  std::optional<Model> opened;
  const CheckOptions &options;
  CaseMeta meta;
  Tensors inputs, expected;
  CaseResult result;
};

} // namespace

CaseResult checkCase(const std::string &folder, const CheckOptions &options) {
  auto check = [&](const CheckOptions &own) { return Checker(folder, own).check(); };
  return isEmulated(options) ? checkInAllSchedules(options, check) : check(options);
}

} // namespace proa::check
