//! The C interface of sessions.
#include "lib/base/support/Sequences.h"
#include "lib/compiler/capi/Handles.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

using namespace proa;

struct proa_stop {
  std::stop_source source;
};

struct proa_session {
  proa_model model;
  Session session;
  std::vector<Tensor> outputs;                         ///< outputs of the last run
  std::vector<std::vector<proa_lod_level>> outputLods; ///< their LoD, as views
  Tensor parameter;                                    ///< the last requested parameter
  std::map<std::string, Lod> feedLods;                 ///< set by proa_session_set_feed_lod
  /// Set by proa_session_set_feed_elements.
  std::map<std::string, std::vector<Tensor>> feedElements;
  /// By fetch, of the last run: the elements of sequences.
  std::vector<std::vector<Tensor>> outputElements;
  /// Of the profile; computed after the last run when they are asked for.
  mutable std::optional<std::vector<StepTime>> steps = std::nullopt;
};

namespace {

using capi::isNull;

const std::vector<StepTime> &stepsOf(const proa_session &session) {
  if (!session.steps)
    session.steps = session.session.profileSteps();
  return *session.steps;
}

std::span<const TensorInfo> feedsOf(const proa_session *session) {
  return session ? std::span<const TensorInfo>(session->session.model().feeds())
                 : std::span<const TensorInfo>();
}

/// The functions of a caller as an allocator.
class CallerAllocator final : public Allocator {
public:
  explicit CallerAllocator(const proa_session_options &functions) : functions(functions) {}
  void *allocate(size_t bytes, size_t alignment) override {
    return functions.allocate(functions.allocator_context, bytes, alignment);
  }
  void deallocate(void *memory, size_t bytes) override {
    functions.deallocate(functions.allocator_context, memory, bytes);
  }

private:
  proa_session_options functions;
};

Result<SessionOptions> optionsFromC(const proa_session_options &source) {
  const proa_session_options defaults = PROA_SESSION_OPTIONS_INIT;
  constexpr size_t firstVersion = offsetof(proa_session_options, seed) + sizeof source.seed;
  auto read = capi::readStruct("proa_session_create", source, defaults, firstVersion, "options",
                               "PROA_SESSION_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  SessionOptions options;
  if (read->seed)
    options.seed = *read->seed;
  if ((read->allocate == nullptr) != (read->deallocate == nullptr))
    return errorAt("proa_session_create",
                   "the options have one of 'allocate' and 'deallocate', expected both or none");
  if (read->allocate)
    options.allocator = std::make_shared<CallerAllocator>(*read);
  return options;
}

StridedView viewOf(const proa_tensor &tensor, const int64_t *strides) {
  StridedView view{static_cast<DType>(tensor.dtype), {tensor.dims, tensor.dims + tensor.rank}};
  if (strides)
    view.strides.assign(strides, strides + tensor.rank);
  view.data = tensor.data;
  return view;
}

Result<std::map<std::string, Tensor>> feedsFromC(const proa_session &session, const proa_tensor *inputs,
                                                 bool needsData, const int64_t *const *strides = nullptr) {
  const std::vector<TensorInfo> &infos = session.session.model().feeds();
  auto views = capi::tensorsFromC(inputs, infos, needsData);
  if (!views)
    return views.diagnostics();
  std::map<std::string, Tensor> feeds;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].isSequence) {
      auto elements = session.feedElements.find(infos[i].name);
      for (size_t e = 0; elements != session.feedElements.end() && e < elements->second.size(); ++e)
        feeds.emplace(elementName(infos[i].name, e), elements->second[e]);
      continue;
    }
    if (strides && strides[i]) {
      auto dense = tensorOf(viewOf(inputs[i], strides[i]));
      if (!dense)
        return errorAt(fmt::format("input {} ('{}')", i, infos[i].name), dense.diagnostics()[0].message);
      (*views)[i] = std::move(*dense);
    }
    if (auto lod = session.feedLods.find(infos[i].name); lod != session.feedLods.end())
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
    return errorAt("proa_session_set_feed_lod", "the levels are NULL");
  Lod lod;
  for (const proa_lod_level &level : std::span(given.levels, given.level_count)) {
    if (!level.offsets)
      return errorAt("proa_session_set_feed_lod",
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

Result<proa_run_options> runOptionsFromC(const proa_run_options *source) {
  const proa_run_options defaults = PROA_RUN_OPTIONS_INIT;
  if (!source)
    return defaults;
  auto read = capi::readStruct("proa_session_run_with", *source, defaults, sizeof *source, "options",
                               "PROA_RUN_OPTIONS_INIT");
  if (read && (read->time_limit < 0 || read->time_limit != read->time_limit))
    return errorAt("proa_session_run_with",
                   fmt::format("time_limit is {}, expected 0 or more", read->time_limit));
  return read;
}

Result<RunOptions> convertedOptions(const proa_session &session, const proa_run_options &given) {
  RunOptions options;
  if (given.stop)
    options.stop = given.stop->source.get_token();
  if (given.time_limit > 0)
    options.timeLimit =
        std::chrono::nanoseconds(static_cast<int64_t>(std::min(given.time_limit * 1e6, 9e18)));
  Diagnostics diagnostics;
  const std::vector<std::string> &fetches = session.session.model().fetches();
  for (size_t i = 0; given.output_memory && i < fetches.size(); ++i) {
    const proa_tensor &memory = given.output_memory[i];
    if (!memory.data)
      continue;
    auto checked = capi::tensorFromC(memory, fmt::format("output {} ('{}')", i, fetches[i]));
    if (!checked)
      diagnostics.append(checked.diagnostics());
    else
      options.outputs[fetches[i]] = viewOf(memory, given.output_strides ? given.output_strides[i] : nullptr);
  }
  if (!diagnostics.empty())
    return diagnostics;
  return options;
}

Result<CheckpointOptions> checkpointOptionsFromC(const proa_checkpoint_options *source) {
  CheckpointOptions options;
  if (!source)
    return options;
  const proa_checkpoint_options defaults = PROA_CHECKPOINT_OPTIONS_INIT;
  auto read = capi::readStruct("proa_session_save_checkpoint", *source, defaults, sizeof *source, "options",
                               "PROA_CHECKPOINT_OPTIONS_INIT");
  if (!read)
    return read.diagnostics();
  options.step = read->step;
  options.inBackground = read->in_background != 0;
  return options;
}

} // namespace

proa_stop *proa_stop_create() {
  return capi::guarded<proa_stop *>(nullptr, [&]() -> Result<proa_stop *> { return new proa_stop; });
}

void proa_stop_request(proa_stop *stop) {
  if (stop)
    stop->source.request_stop();
}

void proa_stop_destroy(proa_stop *stop) { delete stop; }

int proa_session_get_times(const proa_session *session, proa_session_times *times) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !times)
      return isNull("proa_session_get_times", session ? "the place for the times" : "the session");
    const SessionTimes &found = session->session.times();
    *times = {found.compile, found.load, found.lastRun, found.fromCache};
    return {};
  });
}

int64_t proa_session_arena_bytes(const proa_session *session) {
  return session ? session->session.arenaBytes() : 0;
}

int proa_session_set_profile(proa_session *session, int on) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session)
      return isNull("proa_session_set_profile", "the session");
    session->session.enableProfile(on != 0);
    return {};
  });
}

size_t proa_session_step_count(const proa_session *session) {
  return capi::guarded<size_t>(
      0, [&]() -> Result<size_t> { return session ? stepsOf(*session).size() : size_t(0); });
}

int proa_session_step(const proa_session *session, size_t index, proa_step_time *time) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !time)
      return isNull("proa_session_step", session ? "the place for the time" : "the session");
    const std::vector<StepTime> &steps = stepsOf(*session);
    if (index >= steps.size())
      return errorAt("proa_session_step",
                     fmt::format("found step {}, but {} steps were measured", index, steps.size()));
    *time = capi::stepToC(steps[index]);
    return {};
  });
}

proa_session *proa_session_create(const proa_model *model, const proa_session_options *options) {
  return capi::guarded<proa_session *>(nullptr, [&]() -> Result<proa_session *> {
    if (!model)
      return isNull("proa_session_create", "the model");
    const proa_session_options defaults = PROA_SESSION_OPTIONS_INIT;
    Result<SessionOptions> converted = optionsFromC(options ? *options : defaults);
    if (!converted)
      return converted.diagnostics();
    auto session = model->model.session(*converted);
    if (!session)
      return session.diagnostics();
    return new proa_session{*model, std::move(*session), {}, {}, {}, {}, {}, {}};
  });
}

const proa_model *proa_session_model(const proa_session *session) {
  return session ? &session->model : nullptr;
}

void proa_session_destroy(proa_session *session) { delete session; }

int proa_session_set_parameter(proa_session *session, const char *name, const proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !name || !value)
      return isNull("proa_session_set_parameter", !session ? "the session"
                                                  : !name  ? "the name"
                                                           : "the value");
    auto view = capi::tensorFromC(*value, std::string("parameter '") + name + "'");
    if (!view)
      return view.diagnostics();
    return session->session.setParameter(name, copyOf(*view));
  });
}

int proa_session_get_parameter(proa_session *session, const char *name, proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !name || !value)
      return isNull("proa_session_get_parameter", !session ? "the session"
                                                  : !name  ? "the name"
                                                           : "the value");
    auto found = session->session.parameter(name);
    if (!found)
      return found.diagnostics();
    session->parameter = std::move(*found);
    *value = capi::tensorToC(session->parameter);
    return {};
  });
}

int proa_session_save_parameters(proa_session *session, const char *path) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !path)
      return isNull("proa_session_save_parameters", !session ? "the session" : "the path");
    return session->session.saveParameters(path);
  });
}

int proa_session_save_checkpoint(proa_session *session, const char *folder,
                                 const proa_checkpoint_options *options) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !folder)
      return isNull("proa_session_save_checkpoint", !session ? "the session" : "the folder");
    auto converted = checkpointOptionsFromC(options);
    if (!converted)
      return converted.diagnostics();
    return session->session.saveCheckpoint(folder, *converted);
  });
}

int proa_session_finish_checkpoint(proa_session *session) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session)
      return isNull("proa_session_finish_checkpoint", "the session");
    return session->session.finishCheckpoint();
  });
}

int proa_session_load_checkpoint(proa_session *session, const char *folder, int64_t *step) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !folder)
      return isNull("proa_session_load_checkpoint", !session ? "the session" : "the folder");
    Result<int64_t> completed = session->session.loadCheckpoint(folder);
    if (!completed)
      return completed.diagnostics();
    if (step)
      *step = *completed;
    return {};
  });
}

int proa_session_copy_values(proa_session *session, proa_session *other) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !other)
      return isNull("proa_session_copy_values", !session ? "the session" : "the other session");
    return session->session.copyValues(other->session);
  });
}

int proa_session_set_feed_lod(proa_session *session, size_t index, const proa_lod *lod) {
  return capi::guardedCall([&]() -> Result<void> {
    proa_tensor_info feed;
    Result<void> found = capi::describeEntry(feedsOf(session), index, "feed", &feed);
    if (!found)
      return found;
    if (!lod) {
      session->feedLods.erase(feed.name);
      return {};
    }
    Result<Lod> read = lodFromC(*lod);
    if (!read)
      return read.diagnostics();
    session->feedLods[feed.name] = std::move(*read);
    return {};
  });
}

int proa_session_set_feed_elements(proa_session *session, size_t index, const proa_tensor *elements,
                                   size_t count) {
  return capi::guardedCall([&]() -> Result<void> {
    proa_tensor_info feed;
    if (Result<void> found = capi::describeEntry(feedsOf(session), index, "feed", &feed); !found)
      return found;
    if (!feedsOf(session)[index].isSequence)
      return errorAt("proa_session_set_feed_elements", fmt::format("feed '{}' is not a sequence", feed.name));
    if (!elements && count > 0)
      return isNull("proa_session_set_feed_elements", "the array of elements");
    std::vector<Tensor> copies;
    for (size_t i = 0; i < count; ++i) {
      auto view = capi::tensorFromC(elements[i], elementName(feed.name, i));
      if (!view)
        return view.diagnostics();
      copies.push_back(copyOf(*view));
    }
    session->feedElements[feed.name] = std::move(copies);
    return {};
  });
}

int proa_session_prepare(proa_session *session, const proa_tensor *inputs) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session)
      return isNull("proa_session_prepare", "the session");
    auto feeds = feedsFromC(*session, inputs, /*needsData=*/false);
    if (!feeds)
      return feeds.diagnostics();
    return session->session.prepare(*feeds);
  });
}

int proa_session_finish_compilation(proa_session *session) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session)
      return isNull("proa_session_finish_compilation", "the session");
    session->session.finishCompilation();
    return {};
  });
}

int proa_session_run(proa_session *session, const proa_tensor *inputs, proa_tensor *outputs) {
  return proa_session_run_with(session, inputs, outputs, nullptr);
}

int proa_session_run_with(proa_session *session, const proa_tensor *inputs, proa_tensor *outputs,
                          const proa_run_options *options) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session)
      return isNull("proa_session_run", "the session");
    if (!outputs && !session->session.model().fetches().empty())
      return isNull("proa_session_run", "the place for the outputs");
    auto given = runOptionsFromC(options);
    if (!given)
      return given.diagnostics();
    auto converted = convertedOptions(*session, *given);
    auto feeds = feedsFromC(*session, inputs, /*needsData=*/true, given->input_strides);
    if (!converted || !feeds)
      return converted ? feeds.diagnostics() : converted.diagnostics();
    session->steps.reset();
    auto results = session->session.run(*feeds, *converted);
    if (!results)
      return results.diagnostics();
    session->outputs.clear();
    session->outputLods.clear();
    session->outputElements.clear();
    for (NamedTensor &result : *results) {
      // The elements of a sequence follow the number of its elements.
      if (session->outputs.size() == session->session.model().fetches().size() ||
          session->session.model().fetches()[session->outputs.size()] != result.name) {
        session->outputElements.back().push_back(std::move(result.tensor));
        continue;
      }
      session->outputElements.emplace_back();
      const Tensor &output = session->outputs.emplace_back(std::move(result.tensor));
      session->outputLods.push_back(lodToC(output.lod()));
    }
    capi::tensorsToC(session->outputs, outputs);
    return {};
  });
}

int proa_session_fetch_lod(const proa_session *session, size_t index, proa_lod *lod) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !lod)
      return isNull("proa_session_fetch_lod", !session ? "the session" : "the place for the LoD");
    if (index >= session->session.model().fetches().size())
      return errorAt("proa_session_fetch_lod", "no fetch " + std::to_string(index) +
                                                   ", expected an index below " +
                                                   std::to_string(session->session.model().fetches().size()));
    if (index >= session->outputLods.size())
      return errorAt("proa_session_fetch_lod", "the session has not run yet");
    const std::vector<proa_lod_level> &levels = session->outputLods[index];
    *lod = {levels.size(), levels.data()};
    return {};
  });
}

size_t proa_session_fetch_element_count(const proa_session *session, size_t index) {
  return session && index < session->outputElements.size() ? session->outputElements[index].size() : 0;
}

int proa_session_fetch_element(const proa_session *session, size_t index, size_t element,
                               proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!session || !value)
      return isNull("proa_session_fetch_element", !session ? "the session" : "the place for the element");
    size_t count = proa_session_fetch_element_count(session, index);
    if (element >= count)
      return errorAt("proa_session_fetch_element",
                     fmt::format("fetch {} has {} elements, found index {}", index, count, element));
    *value = capi::tensorToC(session->outputElements[index][element]);
    return {};
  });
}
