//! The C interface of the embedded library.
#include "proa-c/proa.h"

#include "lib/capi/Boundary.h"
#include "proa/Model.h"

#include <cstddef>
#include <cstring>

using namespace proa;

struct proa_model {
  Model model;
  std::vector<Tensor> outputs;                         ///< outputs of the last run
  std::vector<std::vector<proa_lod_level>> outputLods; ///< their LoD, as views
  Tensor parameter;                                    ///< the last requested parameter
  std::map<std::string, Lod> feedLods;                 ///< set by proa_model_set_feed_lod
};

namespace {

std::vector<std::string> namesFromC(const char *const *names) {
  std::vector<std::string> list;
  for (; names && *names; ++names)
    list.emplace_back(*names);
  return list;
}

void deliver(const Diagnostic &diagnostic, void (*call)(void *, const proa_diagnostic *), void *context) {
  std::string text = diagnostic.text();
  proa_diagnostic given{.severity =
                            diagnostic.severity == Diagnostic::Severity::Warning ? PROA_WARNING : PROA_REMARK,
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
  call(context, &given);
}

/// The options, up to the size of the caller's version of the struct.
Result<proa_model_options> readOptions(const proa_model_options &given) {
  constexpr size_t firstVersion = offsetof(proa_model_options, function) + sizeof given.function;
  if (given.size < firstVersion || given.size > sizeof given)
    return problem("proa_model_open",
                   "size of the options is " + std::to_string(given.size) + ", expected " +
                       std::to_string(sizeof given) +
                       " (sizeof(proa_model_options); begin with PROA_MODEL_OPTIONS_INIT)");
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  std::memcpy(&options, &given, given.size);
  if (options.threads < 0)
    return problem("proa_model_open",
                   "threads is " + std::to_string(options.threads) + ", expected 0 or more");
  return options;
}

ModelOptions optionsFromC(const proa_model_options &given) {
  ModelOptions options;
  options.threads = given.threads;
  options.parameters = given.parameters ? given.parameters : "";
  options.cacheDirectory = given.cache_directory ? given.cache_directory : "";
  options.feeds = namesFromC(given.feeds);
  options.fetches = namesFromC(given.fetches);
  options.function = given.function ? given.function : "";
  if (given.diagnostic)
    options.onDiagnostic = [call = given.diagnostic, context = given.diagnostic_context](
                               const Diagnostic &diagnostic) { deliver(diagnostic, call, context); };
  if (given.progress)
    options.progress = [call = given.progress, context = given.progress_context](
                           const std::string &what, double part) { call(context, what.c_str(), part); };
  return options;
}

std::span<const TensorInfo> feedsOf(const proa_model *model) {
  return model ? std::span<const TensorInfo>(model->model.feeds()) : std::span<const TensorInfo>();
}

std::span<const TensorInfo> parametersOf(const proa_model *model) {
  return model ? std::span<const TensorInfo>(model->model.parameters()) : std::span<const TensorInfo>();
}

Problems isNull(const char *function, const char *what) {
  return problem(function, std::string(what) + " is NULL");
}

Result<std::map<std::string, Tensor>> feedsFromC(const proa_model &model, const proa_tensor *inputs,
                                                 bool needsData) {
  const std::vector<TensorInfo> &infos = model.model.feeds();
  auto views = capi::tensorsFromC(inputs, infos, needsData);
  if (!views)
    return views.problems();
  std::map<std::string, Tensor> feeds;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (auto lod = model.feedLods.find(infos[i].name); lod != model.feedLods.end())
      (*views)[i].setLod(lod->second);
    feeds.emplace(infos[i].name, (*views)[i]);
  }
  return feeds;
}

Result<Lod> lodFromC(const proa_lod &given) {
  if (given.level_count > 0 && !given.levels)
    return problem("proa_model_set_feed_lod", "the levels are NULL");
  Lod lod;
  for (const proa_lod_level &level : std::span(given.levels, given.level_count)) {
    if (!level.offsets)
      return problem("proa_model_set_feed_lod",
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
    Result<proa_model_options> read = readOptions(options ? *options : defaults);
    if (!read)
      return read.problems();
    auto opened = Model::open(path, optionsFromC(*read));
    if (!opened)
      return opened.problems();
    return new proa_model{std::move(*opened), {}, {}, {}, {}};
  });
}

void proa_model_close(proa_model *model) { delete model; }

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
      return view.problems();
    Tensor copy(view->dtype(), view->dims());
    if (copy.bytes() != 0)
      std::memcpy(copy.data(), view->data(), copy.bytes());
    return model->model.setParameter(name, std::move(copy));
  });
}

int proa_model_get_parameter(proa_model *model, const char *name, proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model || !name || !value)
      return isNull("proa_model_get_parameter", !model ? "the model" : !name ? "the name" : "the value");
    auto found = model->model.parameter(name);
    if (!found)
      return found.problems();
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
      return read.problems();
    model->feedLods[feed.name] = std::move(*read);
    return {};
  });
}

int proa_model_prepare(proa_model *model, const proa_tensor *inputs) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!model)
      return isNull("proa_model_prepare", "the model");
    auto feeds = feedsFromC(*model, inputs, /*needsData=*/false);
    if (!feeds)
      return feeds.problems();
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
      return feeds.problems();
    auto results = model->model.run(*feeds);
    if (!results)
      return results.problems();
    model->outputs.clear();
    model->outputLods.clear();
    for (NamedTensor &result : *results) {
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
      return problem("proa_model_fetch_lod", "no fetch " + std::to_string(index) +
                                                 ", expected an index below " +
                                                 std::to_string(model->model.fetches().size()));
    if (index >= model->outputLods.size())
      return problem("proa_model_fetch_lod", "the model has not run yet");
    const std::vector<proa_lod_level> &levels = model->outputLods[index];
    *lod = {levels.size(), levels.data()};
    return {};
  });
}
