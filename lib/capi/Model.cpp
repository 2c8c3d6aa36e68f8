//! The C interface of the embedded library.
#include "proa-c/proa.h"

#include "lib/capi/Boundary.h"
#include "lib/support/Sequences.h"
#include "proa/Model.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

using namespace proa;

struct proa_model {
  Model model;
  std::vector<Tensor> outputs;                         ///< outputs of the last run
  std::vector<std::vector<proa_lod_level>> outputLods; ///< their LoD, as views
  Tensor parameter;                                    ///< the last requested parameter
  std::map<std::string, Lod> feedLods;                 ///< set by proa_model_set_feed_lod
  /// Set by proa_model_set_feed_elements.
  std::map<std::string, std::vector<Tensor>> feedElements;
  /// By fetch, of the last run: the elements of sequences.
  std::vector<std::vector<Tensor>> outputElements;
};

namespace {

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

/// A copy of `source` with the fields that the caller's version of the struct has, and the defaults of the
/// others. Error: a size that is not one of a version.
template <class Options>
Result<Options> readStruct(const Options &source, const Options &defaults, size_t firstVersion,
                           const std::string &what, const std::string &initializer) {
  if (source.size < firstVersion || source.size > sizeof source)
    return errorAt("proa_model_open", fmt::format("size of the {} is {}, expected {} (begin with {})", what,
                                                  source.size, sizeof source, initializer));
  Options options = defaults;
  std::memcpy(&options, &source, source.size);
  return options;
}

Result<AmpOptions> ampFromC(const proa_amp_options &source) {
  const proa_amp_options defaults = PROA_AMP_OPTIONS_INIT;
  auto read =
      readStruct(source, defaults, sizeof source, "options of mixed precision", "PROA_AMP_OPTIONS_INIT");
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
  auto read = readStruct(source, defaults, firstVersion, "options of the mesh", "PROA_MESH_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  return MeshOptions{.axes = textFromC(read->axes),
                     .shardings = textFromC(read->shardings),
                     .strategy = textFromC(read->strategy),
                     .rings = textFromC(read->rings),
                     .simulate = read->simulate != 0,
                     .overlap = read->no_overlap == 0,
                     .emulatedLink = textFromC(read->emulated_link),
                     .memoryLimit = read->memory_limit};
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
  auto read =
      readStruct(source, defaults, sizeof source, "options of the store", "PROA_OFFLOAD_OPTIONS_INIT");
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

static_assert(static_cast<int>(AmpOptions::Scaling::None) == PROA_LOSS_SCALING_NONE &&
              static_cast<int>(AmpOptions::Scaling::Static) == PROA_LOSS_SCALING_STATIC &&
              static_cast<int>(AmpOptions::Scaling::Dynamic) == PROA_LOSS_SCALING_DYNAMIC);

Result<ModelOptions> optionsFromC(const proa_model_options &source) {
  const proa_model_options defaults = PROA_MODEL_OPTIONS_INIT;
  constexpr size_t firstVersion = offsetof(proa_model_options, function) + sizeof source.function;
  auto read = readStruct(source, defaults, firstVersion, "options", "PROA_MODEL_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  Diagnostics diagnostics;
  if (read->threads < 0)
    diagnostics.add("proa_model_open", fmt::format("threads is {}, expected 0 or more", read->threads));
  if (read->micro_batches < 0)
    diagnostics.add("proa_model_open",
                    fmt::format("micro_batches is {}, expected 0 or more", read->micro_batches));
  ModelOptions options;
  if (read->amp) {
    auto amp = ampFromC(*read->amp);
    if (amp)
      options.amp = *amp;
    else
      diagnostics.append(amp.diagnostics());
  }
  if (read->mesh) {
    auto mesh = meshFromC(*read->mesh);
    if (mesh)
      options.mesh = *mesh;
    else
      diagnostics.append(mesh.diagnostics());
  }
  if (read->offload) {
    auto offload = offloadFromC(*read->offload);
    if (offload)
      options.offload = *offload;
    else
      diagnostics.append(offload.diagnostics());
  }
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
  options.optimizesCode = read->no_code_optimization == 0;
  options.allowsTf32 = read->allow_tf32 != 0;
  options.allowsAtomicSums = read->allow_atomic_sums != 0;
  options.target = textFromC(read->target);
  options.dumpDirectory = textFromC(read->dump_directory);
  options.remarks = textFromC(read->remarks);
  if (read->memory_budget)
    options.memoryBudget = *read->memory_budget;
  if (read->micro_batches > 0)
    options.microBatches = read->micro_batches;
  if (read->diagnostic)
    options.onDiagnostic = [call = read->diagnostic, context = read->diagnostic_context](
                               const Diagnostic &diagnostic) { deliver(diagnostic, call, context); };
  if (read->progress)
    options.progress = [call = read->progress, context = read->progress_context](
                           const std::string &what, double part) { call(context, what.c_str(), part); };
  return options;
}

std::span<const TensorInfo> feedsOf(const proa_model *model) {
  return model ? std::span<const TensorInfo>(model->model.feeds()) : std::span<const TensorInfo>();
}

std::span<const TensorInfo> parametersOf(const proa_model *model) {
  return model ? std::span<const TensorInfo>(model->model.parameters()) : std::span<const TensorInfo>();
}

Diagnostics isNull(const char *function, const char *what) {
  return errorAt(function, std::string(what) + " is NULL");
}

Result<std::map<std::string, Tensor>> feedsFromC(const proa_model &model, const proa_tensor *inputs,
                                                 bool needsData) {
  const std::vector<TensorInfo> &infos = model.model.feeds();
  auto views = capi::tensorsFromC(inputs, infos, needsData);
  if (!views)
    return views.diagnostics();
  std::map<std::string, Tensor> feeds;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].isSequence) {
      auto elements = model.feedElements.find(infos[i].name);
      for (size_t e = 0; elements != model.feedElements.end() && e < elements->second.size(); ++e)
        feeds.emplace(elementName(infos[i].name, e), elements->second[e]);
      continue;
    }
    if (auto lod = model.feedLods.find(infos[i].name); lod != model.feedLods.end())
      (*views)[i].setLod(lod->second);
    feeds.emplace(infos[i].name, (*views)[i]);
  }
  return feeds;
}

/// The tensor in memory of its own.
Tensor copyOf(const Tensor &view) {
  Tensor copy(view.dtype(), view.dims());
  if (copy.bytes() != 0)
    std::memcpy(copy.data(), view.data(), copy.bytes());
  return copy;
}

Result<Lod> lodFromC(const proa_lod &given) {
  if (given.level_count > 0 && !given.levels)
    return errorAt("proa_model_set_feed_lod", "the levels are NULL");
  Lod lod;
  for (const proa_lod_level &level : std::span(given.levels, given.level_count)) {
    if (!level.offsets)
      return errorAt("proa_model_set_feed_lod",
                     "the offsets of level " + std::to_string(lod.size()) + " are NULL");
    lod.emplace_back(level.offsets, level.offsets + level.count);
  }
  return lod;
}

std::vector<proa_lod_level> lodToC(const Lod &lod) {
  std::vector<proa_lod_level> levels;
  for (const std::vector<int64_t> &offsets : lod)
    levels.push_back({offsets.size(), offsets.data()});
  return levels;
}

} // namespace

proa_model *proa_model_open(const char *path, const proa_model_options *options) {
  return capi::guarded<proa_model *>(nullptr, [&]() -> Result<proa_model *> {
    if (!path)
      return isNull("proa_model_open", "the path");
    const proa_model_options defaults = PROA_MODEL_OPTIONS_INIT;
    Result<ModelOptions> converted = optionsFromC(options ? *options : defaults);
    if (!converted)
      return converted.diagnostics();
    auto opened = Model::open(path, std::move(*converted));
    if (!opened)
      return opened.diagnostics();
    return new proa_model{std::move(*opened), {}, {}, {}, {}, {}, {}};
  });
}

void proa_model_close(proa_model *model) { delete model; }

int64_t proa_model_rank(const proa_model *model) { return model ? model->model.rank() : 0; }

size_t proa_model_feed_count(const proa_model *model) { return feedsOf(model).size(); }

int proa_model_feed(const proa_model *model, size_t index, proa_tensor_info *info) {
  return capi::guardedCall([&] { return capi::describeEntry(feedsOf(model), index, "feed", info); });
}

size_t proa_model_feed_lod_level(const proa_model *model, size_t index) {
  std::span<const TensorInfo> feeds = feedsOf(model);
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

int proa_model_set_parameter(proa_model *model, const char *name, const proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !name || !value)
      return isNull("proa_model_set_parameter", !model ? "the model" : !name ? "the name" : "the value");
    auto view = capi::tensorFromC(*value, std::string("parameter '") + name + "'");
    if (!view)
      return view.diagnostics();
    return model->model.setParameter(name, copyOf(*view));
  });
}

int proa_model_get_parameter(proa_model *model, const char *name, proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !name || !value)
      return isNull("proa_model_get_parameter", !model ? "the model" : !name ? "the name" : "the value");
    auto found = model->model.parameter(name);
    if (!found)
      return found.diagnostics();
    model->parameter = std::move(*found);
    *value = capi::tensorToC(model->parameter);
    return {};
  });
}

int proa_model_save_parameters(proa_model *model, const char *path) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !path)
      return isNull("proa_model_save_parameters", !model ? "the model" : "the path");
    return model->model.saveParameters(path);
  });
}

int proa_model_set_feed_lod(proa_model *model, size_t index, const proa_lod *lod) {
  return capi::guardedCall([&]() -> Result<void> {
    proa_tensor_info feed;
    Result<void> found = capi::describeEntry(feedsOf(model), index, "feed", &feed);
    if (!found)
      return found;
    if (!lod) {
      model->feedLods.erase(feed.name);
      return {};
    }
    Result<Lod> read = lodFromC(*lod);
    if (!read)
      return read.diagnostics();
    model->feedLods[feed.name] = std::move(*read);
    return {};
  });
}

int proa_model_feed_is_sequence(const proa_model *model, size_t index) {
  std::span<const TensorInfo> feeds = feedsOf(model);
  return index < feeds.size() && feeds[index].isSequence;
}

const char *proa_model_feed_dim_name(const proa_model *model, size_t index, size_t axis) {
  std::span<const TensorInfo> feeds = feedsOf(model);
  bool hasName = index < feeds.size() && axis < feeds[index].dimNames.size();
  return hasName ? feeds[index].dimNames[axis].c_str() : "";
}

int proa_model_set_feed_elements(proa_model *model, size_t index, const proa_tensor *elements, size_t count) {
  return capi::guardedCall([&]() -> Result<void> {
    proa_tensor_info feed;
    if (Result<void> found = capi::describeEntry(feedsOf(model), index, "feed", &feed); !found)
      return found;
    if (!feedsOf(model)[index].isSequence)
      return errorAt("proa_model_set_feed_elements", fmt::format("feed '{}' is not a sequence", feed.name));
    if (!elements && count > 0)
      return isNull("proa_model_set_feed_elements", "the array of elements");
    std::vector<Tensor> copies;
    for (size_t i = 0; i < count; ++i) {
      auto view = capi::tensorFromC(elements[i], elementName(feed.name, i));
      if (!view)
        return view.diagnostics();
      copies.push_back(copyOf(*view));
    }
    model->feedElements[feed.name] = std::move(copies);
    return {};
  });
}

int proa_model_prepare(proa_model *model, const proa_tensor *inputs) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model)
      return isNull("proa_model_prepare", "the model");
    auto feeds = feedsFromC(*model, inputs, /*needsData=*/false);
    if (!feeds)
      return feeds.diagnostics();
    return model->model.prepare(*feeds);
  });
}

int proa_model_run(proa_model *model, const proa_tensor *inputs, proa_tensor *outputs) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model)
      return isNull("proa_model_run", "the model");
    if (!outputs && !model->model.fetches().empty())
      return isNull("proa_model_run", "the place for the outputs");
    auto feeds = feedsFromC(*model, inputs, /*needsData=*/true);
    if (!feeds)
      return feeds.diagnostics();
    auto results = model->model.run(*feeds);
    if (!results)
      return results.diagnostics();
    model->outputs.clear();
    model->outputLods.clear();
    model->outputElements.clear();
    for (NamedTensor &result : *results) {
      // The elements of a sequence follow the number of its elements.
      if (model->outputs.size() == model->model.fetches().size() ||
          model->model.fetches()[model->outputs.size()] != result.name) {
        model->outputElements.back().push_back(std::move(result.tensor));
        continue;
      }
      model->outputElements.emplace_back();
      const Tensor &output = model->outputs.emplace_back(std::move(result.tensor));
      model->outputLods.push_back(lodToC(output.lod()));
    }
    capi::tensorsToC(model->outputs, outputs);
    return {};
  });
}

int proa_model_fetch_lod(const proa_model *model, size_t index, proa_lod *lod) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !lod)
      return isNull("proa_model_fetch_lod", !model ? "the model" : "the place for the LoD");
    if (index >= model->model.fetches().size())
      return errorAt("proa_model_fetch_lod", "no fetch " + std::to_string(index) +
                                                 ", expected an index below " +
                                                 std::to_string(model->model.fetches().size()));
    if (index >= model->outputLods.size())
      return errorAt("proa_model_fetch_lod", "the model has not run yet");
    const std::vector<proa_lod_level> &levels = model->outputLods[index];
    *lod = {levels.size(), levels.data()};
    return {};
  });
}

size_t proa_model_fetch_element_count(const proa_model *model, size_t index) {
  return model && index < model->outputElements.size() ? model->outputElements[index].size() : 0;
}

int proa_model_fetch_element(const proa_model *model, size_t index, size_t element, proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !value)
      return isNull("proa_model_fetch_element", !model ? "the model" : "the place for the element");
    size_t count = proa_model_fetch_element_count(model, index);
    if (element >= count)
      return errorAt("proa_model_fetch_element",
                     fmt::format("fetch {} has {} elements, found index {}", index, count, element));
    *value = capi::tensorToC(model->outputElements[index][element]);
    return {};
  });
}
