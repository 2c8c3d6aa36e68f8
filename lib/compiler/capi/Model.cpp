//! The C interface of the embedded library.
#include "proa-c/proa.h"

#include "lib/compiler/capi/Handles.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

using namespace proa;

namespace {

/// The address of an owner without a context.
char noContext;

std::vector<std::string> namesFromC(const char *const *names) {
  std::vector<std::string> list;
  for (; names && *names; ++names)
    list.emplace_back(*names);
  return list;
}

std::string textFromC(const char *text) { return text ? text : ""; }

void deliver(const Diagnostic &diagnostic, void (*call)(void *, const proa_diagnostic *), void *context) {
  std::string text = diagnostic.text();
  bool isWarning = diagnostic.severity == Diagnostic::Severity::Warning;
  proa_diagnostic view{.severity = isWarning ? PROA_WARNING : PROA_REMARK,
                       .code = diagnostic.code.c_str(),
                       .message = diagnostic.message.c_str(),
                       .variable = diagnostic.variable.c_str(),
                       .file = diagnostic.file.c_str(),
                       .block = diagnostic.block,
                       .op = diagnostic.op,
                       .op_type = diagnostic.opType.c_str(),
                       .python_file = diagnostic.pythonFile.c_str(),
                       .python_line = diagnostic.pythonLine,
                       .text = text.c_str()};
  call(context, &view);
}

Result<AmpOptions> ampFromC(const proa_amp_options &source) {
  const proa_amp_options defaults = PROA_AMP_OPTIONS_INIT;
  auto read = capi::readStruct("proa_model_open", source, defaults, sizeof source,
                               "options of mixed precision", "PROA_AMP_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  Diagnostics diagnostics;
  if (read->level != PROA_AMP_O1 && read->level != PROA_AMP_O2)
    diagnostics.add("proa_model_open", fmt::format("amp.level is {}, expected PROA_AMP_O1 or PROA_AMP_O2",
                                                   static_cast<int>(read->level)));
  if (read->dtype != PROA_FLOAT16 && read->dtype != PROA_BFLOAT16)
    diagnostics.add("proa_model_open", fmt::format("amp.dtype is {}, expected PROA_FLOAT16 or PROA_BFLOAT16",
                                                   static_cast<int>(read->dtype)));
  if (read->scaling < PROA_LOSS_SCALING_NONE || read->scaling > PROA_LOSS_SCALING_DYNAMIC)
    diagnostics.add("proa_model_open",
                    fmt::format("amp.scaling is {}, expected PROA_LOSS_SCALING_NONE, _STATIC or _DYNAMIC",
                                static_cast<int>(read->scaling)));
  if (!diagnostics.empty())
    return diagnostics;
  return AmpOptions{.level = read->level == PROA_AMP_O1 ? AmpOptions::Level::O1 : AmpOptions::Level::O2,
                    .dtype = static_cast<DType>(read->dtype),
                    .allow = namesFromC(read->allow),
                    .deny = namesFromC(read->deny),
                    .grey = namesFromC(read->grey),
                    .scaling = static_cast<AmpOptions::Scaling>(read->scaling),
                    .lossScale = read->loss_scale,
                    .increaseEvery = read->increase_every,
                    .decreaseEvery = read->decrease_every,
                    .increaseRatio = read->increase_ratio,
                    .decreaseRatio = read->decrease_ratio};
}

Result<MeshOptions> meshFromC(const proa_mesh_options &source) {
  const proa_mesh_options defaults = PROA_MESH_OPTIONS_INIT;
  constexpr size_t firstVersion = offsetof(proa_mesh_options, simulate) + sizeof source.simulate;
  auto read = capi::readStruct("proa_model_open", source, defaults, firstVersion, "options of the mesh",
                               "PROA_MESH_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  return MeshOptions{.axes = textFromC(read->axes),
                     .shardings = textFromC(read->shardings),
                     .strategy = textFromC(read->strategy),
                     .rings = textFromC(read->rings),
                     .simulate = read->simulate != 0,
                     .overlap = read->no_overlap == 0,
                     .emulatedLink = textFromC(read->emulated_link),
                     .memoryLimit = read->memory_limit,
                     .schedule = textFromC(read->schedule)};
}

/// The functions of a caller as a store.
class CallerStore final : public OffloadStore {
public:
  explicit CallerStore(const proa_offload_options &functions) : functions(functions) {}

  Result<void> fetch(const OffloadedVariable &variable, std::span<std::byte> data) override {
    proa_stored_variable described = describe(variable);
    return check(functions.fetch(functions.context, &described, data.data(), data.size()), "fetch");
  }
  Result<void> store(const OffloadedVariable &variable, std::span<const std::byte> data) override {
    proa_stored_variable described = describe(variable);
    return check(functions.store(functions.context, &described, data.data(), data.size()), "store");
  }
  Result<void> endRun(int64_t rank, bool hasSucceeded) override {
    return functions.end_run ? check(functions.end_run(functions.context, rank, hasSucceeded), "end_run")
                             : Result<void>();
  }

private:
  static proa_stored_variable describe(const OffloadedVariable &variable) {
    return {variable.name.c_str(), variable.rank, static_cast<proa_dtype>(variable.dtype),
            variable.dims.size(), variable.dims.data()};
  }
  static Result<void> check(int code, const char *function) {
    return code == 0 ? Result<void>()
                     : errorAt("", fmt::format("the function '{}' of the store returned {}", function, code));
  }

  proa_offload_options functions;
};

Result<OffloadOptions> offloadFromC(const proa_offload_options &source) {
  const proa_offload_options defaults = PROA_OFFLOAD_OPTIONS_INIT;
  auto read = capi::readStruct("proa_model_open", source, defaults, sizeof source, "options of the store",
                               "PROA_OFFLOAD_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  if ((read->fetch == nullptr) != (read->store == nullptr))
    return errorAt("proa_model_open",
                   "offload has one of the functions 'fetch' and 'store', expected both or none");
  if (read->least_bytes < 0)
    return errorAt("proa_model_open",
                   fmt::format("offload.least_bytes is {}, expected 0 or more", read->least_bytes));
  OffloadOptions options;
  options.parameters = read->parameters != 0;
  if (read->least_bytes > 0)
    options.leastBytes = read->least_bytes;
  options.folder = textFromC(read->folder);
  if (read->fetch)
    options.store = std::make_shared<CallerStore>(*read);
  return options;
}

/// A function of a caller as a pool of threads.
class CallerPool final : public ThreadPool {
public:
  using Function = void (*)(void *context, int64_t count, void (*body)(void *, int64_t), void *bodyContext);
  CallerPool(Function function, void *context) : function(function), context(context) {}

  void run(int64_t count, const std::function<void(int64_t)> &body) override {
    auto call = [](void *given, int64_t i) {
      (*static_cast<const std::function<void(int64_t)> *>(given))(i);
    };
    function(context, count, call, const_cast<std::function<void(int64_t)> *>(&body));
  }

private:
  Function function;
  void *context;
};

static_assert(static_cast<int>(AmpOptions::Scaling::None) == PROA_LOSS_SCALING_NONE &&
              static_cast<int>(AmpOptions::Scaling::Static) == PROA_LOSS_SCALING_STATIC &&
              static_cast<int>(AmpOptions::Scaling::Dynamic) == PROA_LOSS_SCALING_DYNAMIC);

CodeOptimization optimizationFromC(proa_code_optimization when) {
  if (when == PROA_CODE_OPTIMIZATION_NEVER)
    return CodeOptimization::Never;
  return when == PROA_CODE_OPTIMIZATION_ALWAYS ? CodeOptimization::Always : CodeOptimization::Background;
}

/// Adds the numbers and enumerators that are out of range.
void checkRanges(const proa_model_options &read, Diagnostics &diagnostics) {
  auto add = [&](const std::string &message) { diagnostics.add("proa_model_open", message); };
  if (read.threads < 0)
    add(fmt::format("threads is {}, expected 0 or more", read.threads));
  if (read.micro_batches < 0)
    add(fmt::format("micro_batches is {}, expected 0 or more", read.micro_batches));
  if (read.code_optimization < PROA_CODE_OPTIMIZATION_BACKGROUND ||
      read.code_optimization > PROA_CODE_OPTIMIZATION_ALWAYS)
    add(fmt::format("code_optimization is {}, expected a value of proa_code_optimization",
                    static_cast<int>(read.code_optimization)));
  if (read.specialization < PROA_SPECIALIZATION_BACKGROUND || read.specialization > PROA_SPECIALIZATION_NEVER)
    add(fmt::format("specialization is {}, expected a value of proa_specialization",
                    static_cast<int>(read.specialization)));
}

/// Sets an option from a pointer, which may be null, or adds what is wrong.
template <class Field, class Option>
void setOption(const Field *field, Result<Option> (*convert)(const Field &), std::optional<Option> &option,
               Diagnostics &diagnostics) {
  if (!field)
    return;
  auto converted = convert(*field);
  if (converted)
    option = *converted;
  else
    diagnostics.append(converted.diagnostics());
}

void setCallbacks(const proa_model_options &read, ModelOptions &options) {
  if (read.diagnostic)
    options.onDiagnostic = [call = read.diagnostic, context = read.diagnostic_context](
                               const Diagnostic &diagnostic) { deliver(diagnostic, call, context); };
  if (read.parallel_for)
    options.threadPool = std::make_shared<CallerPool>(read.parallel_for, read.parallel_context);
  if (read.progress)
    options.progress = [call = read.progress, context = read.progress_context](const std::string &what,
                                                                               double fraction) {
      call(context, what.c_str(), fraction);
    };
}

Result<ModelOptions> optionsFromC(const proa_model_options &source) {
  const proa_model_options defaults = PROA_MODEL_OPTIONS_INIT;
  constexpr size_t firstVersion = offsetof(proa_model_options, function) + sizeof source.function;
  auto read = capi::readStruct("proa_model_open", source, defaults, firstVersion, "options",
                               "PROA_MODEL_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  Diagnostics diagnostics;
  ModelOptions options;
  checkRanges(*read, diagnostics);
  setOption(read->amp, ampFromC, options.amp, diagnostics);
  setOption(read->mesh, meshFromC, options.mesh, diagnostics);
  setOption(read->offload, offloadFromC, options.offload, diagnostics);
  if (!diagnostics.empty())
    return diagnostics;
  options.threads = read->threads;
  options.seed = read->seed;
  options.parameters = textFromC(read->parameters);
  options.cacheDirectory = textFromC(read->cache_directory);
  options.feeds = namesFromC(read->feeds);
  options.fetches = namesFromC(read->fetches);
  options.function = textFromC(read->function);
  options.checkFinite = read->check_finite != 0;
  options.cpu = textFromC(read->cpu);
  options.codeOptimization = optimizationFromC(read->code_optimization);
  options.allowsTf32 = read->allow_tf32 != 0;
  options.allowsAtomicSums = read->allow_atomic_sums != 0;
  options.target = textFromC(read->target);
  options.specialization = static_cast<Specialization>(read->specialization);
  if (read->kept_specializations != 0)
    options.keptSpecializations = read->kept_specializations;
  options.dumpDirectory = textFromC(read->dump_directory);
  options.remarks = textFromC(read->remarks);
  options.passes = textFromC(read->passes);
  options.patterns = namesFromC(read->patterns);
  options.targetFacts = textFromC(read->target_facts);
  if (read->memory_budget)
    options.memoryBudget = *read->memory_budget;
  if (read->micro_batches > 0)
    options.microBatches = read->micro_batches;
  setCallbacks(*read, options);
  return options;
}

std::span<const TensorInfo> parametersOf(const proa_model *model) {
  return model ? std::span<const TensorInfo>(model->model.parameters()) : std::span<const TensorInfo>();
}

/// The weights of a source. `source` has all fields.
Result<ModelSource> sourceFromC(const proa_model_source &source, std::shared_ptr<const void> owner) {
  if (!source.name || !source.program)
    return capi::isNull("proa_model_open_memory", source.name ? "the program" : "the name");
  if (source.tensor_count > 0 && (!source.tensors || !source.tensor_names))
    return capi::isNull("proa_model_open_memory", "the array of tensors or of their names");
  ModelSource converted{.name = source.name,
                        .program = {static_cast<const std::byte *>(source.program), source.program_size},
                        .weights = {},
                        .tensors = {},
                        .owner = owner};
  if (source.weights)
    converted.weights = {static_cast<const std::byte *>(source.weights), source.weights_size};
  Diagnostics diagnostics;
  for (size_t i = 0; i < source.tensor_count; ++i) {
    std::string name = textFromC(source.tensor_names[i]);
    auto view = capi::tensorFromC(source.tensors[i], "parameter '" + name + "'");
    if (!view)
      diagnostics.append(view.diagnostics());
    else
      converted.tensors.emplace(name, Tensor(view->dtype(), view->dims(), view->data(), owner));
  }
  if (!diagnostics.empty())
    return diagnostics;
  return converted;
}

} // namespace

proa_model *proa_model_open_memory(const proa_model_source *source, const proa_model_options *options) {
  return capi::guarded<proa_model *>(nullptr, [&]() -> Result<proa_model *> {
    if (!source)
      return capi::isNull("proa_model_open_memory", "the source");
    const proa_model_source none = PROA_MODEL_SOURCE_INIT;
    auto read = capi::readStruct("proa_model_open_memory", *source, none, sizeof *source, "source",
                                 "PROA_MODEL_SOURCE_INIT");
    if (!read)
      return read.diagnostics();
    std::shared_ptr<const void> owner;
    if (read->release)
      owner = std::shared_ptr<void>(
          read->release_context ? read->release_context : &noContext,
          [release = read->release, context = read->release_context](void *) { release(context); });
    const proa_model_options defaults = PROA_MODEL_OPTIONS_INIT;
    Result<ModelOptions> converted = optionsFromC(options ? *options : defaults);
    Result<ModelSource> given = sourceFromC(*read, std::move(owner));
    if (!converted || !given)
      return converted ? given.diagnostics() : converted.diagnostics();
    auto opened = Model::open(*given, std::move(*converted));
    if (!opened)
      return opened.diagnostics();
    return new proa_model{std::move(*opened)};
  });
}

int proa_model_get_times(const proa_model *model, proa_model_times *times) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !times)
      return capi::isNull("proa_model_get_times", model ? "the place for the times" : "the model");
    *times = {model->model.times().read, model->model.times().import};
    return {};
  });
}

proa_model *proa_model_open(const char *path, const proa_model_options *options) {
  return capi::guarded<proa_model *>(nullptr, [&]() -> Result<proa_model *> {
    if (!path)
      return capi::isNull("proa_model_open", "the path");
    const proa_model_options defaults = PROA_MODEL_OPTIONS_INIT;
    Result<ModelOptions> converted = optionsFromC(options ? *options : defaults);
    if (!converted)
      return converted.diagnostics();
    auto opened = Model::open(path, std::move(*converted));
    if (!opened)
      return opened.diagnostics();
    return new proa_model{std::move(*opened)};
  });
}

void proa_model_close(proa_model *model) { delete model; }

int64_t proa_model_rank(const proa_model *model) { return model ? model->model.rank() : 0; }

size_t proa_model_feed_count(const proa_model *model) { return capi::feedsOf(model).size(); }

int proa_model_feed(const proa_model *model, size_t index, proa_tensor_info *info) {
  return capi::guardedCall([&] { return capi::describeEntry(capi::feedsOf(model), index, "feed", info); });
}

size_t proa_model_feed_lod_level(const proa_model *model, size_t index) {
  std::span<const TensorInfo> feeds = capi::feedsOf(model);
  return index < feeds.size() ? static_cast<size_t>(feeds[index].lodLevel) : 0;
}

size_t proa_model_fetch_count(const proa_model *model) { return model ? model->model.fetches().size() : 0; }

const char *proa_model_fetch(const proa_model *model, size_t index) {
  return index < proa_model_fetch_count(model) ? model->model.fetches()[index].c_str() : nullptr;
}

size_t proa_model_parameter_count(const proa_model *model) { return parametersOf(model).size(); }

int proa_model_parameter(const proa_model *model, size_t index, proa_tensor_info *info) {
  return capi::guardedCall(
      [&] { return capi::describeEntry(parametersOf(model), index, "parameter", info); });
}

int proa_model_feed_is_sequence(const proa_model *model, size_t index) {
  std::span<const TensorInfo> feeds = capi::feedsOf(model);
  return index < feeds.size() && feeds[index].isSequence;
}

const char *proa_model_feed_dim_name(const proa_model *model, size_t index, size_t axis) {
  std::span<const TensorInfo> feeds = capi::feedsOf(model);
  bool hasName = index < feeds.size() && axis < feeds[index].dimNames.size();
  return hasName ? feeds[index].dimNames[axis].c_str() : "";
}
