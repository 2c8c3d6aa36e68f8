//! Builds, reads, checks and draws schedules.
#include "tools/proa-plan/Schedules.h"

#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Picture.h"
#include "lib/base/pipeline/Search.h"
#include "lib/base/pipeline/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>

namespace proa::tools {
namespace {

using namespace pipeline;

constexpr int64_t mostStages = 1024, mostMicroBatches = 4096, mostChunks = 64;

struct StepTimes {
  JobTimes jobs;
  double update = 0;
};

/// "1,1,1" or "1,1,1,0.5": the times of F, B, W and of the optimizer.
std::optional<StepTimes> parseTimes(const std::string &text) {
  std::array<double, 4> values{};
  const char *at = text.data(), *end = text.data() + text.size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (i + 1 == values.size() && at == end)
      break;
    if (i > 0 && (at == end || *at++ != ','))
      return std::nullopt;
    auto [next, error] = std::from_chars(at, end, values[i]);
    if (error != std::errc() || !(values[i] >= 0) || values[i] > 1e12)
      return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(StepTimes{{values[0], values[1], values[2]}, values[3]}) : std::nullopt;
}

std::string checkTimes(const std::string &text) {
  return parseTimes(text) ? ""
                          : "found '" + text +
                                "', expected the times of F, B and W, as 1,2,1, and of the optimizer, if it "
                                "has any, as 1,2,1,0.5";
}

/// The costs of each stage: its own, or the costs of its rank, divided by the chunks.
Result<Costs> costsOf(const ScheduleOptions &options, const Shape &shape) {
  Costs costs = Costs::ofRank({}, shape.chunks, options.latency);
  if (options.times.empty())
    return costs;
  int64_t count = std::ssize(options.times);
  if (count != 1 && count != shape.ranks && count != shape.stages())
    return errorAt("--times",
                   fmt::format("found {} times, expected one for all, or one for each of {} ranks{}", count,
                               shape.ranks,
                               shape.chunks > 1 ? fmt::format(" or {} stages", shape.stages()) : ""));
  bool isOfStages = count == shape.stages() && count != shape.ranks;
  costs.times.clear();
  costs.updates.assign(static_cast<size_t>(shape.ranks), 0);
  for (int64_t stage = 0; stage < shape.stages(); ++stage) {
    int64_t rank = shape.rankOf(stage), chunks = isOfStages ? 1 : shape.chunks;
    StepTimes own = *parseTimes(options.times[isOfStages ? stage : count == 1 ? 0 : rank]);
    costs.times.push_back(Costs::ofRank(own.jobs, chunks).times[0]);
    costs.updates[rank] += own.update / static_cast<double>(chunks);
  }
  return costs;
}

struct Solution {
  Schedule schedule;
  Costs costs;
  std::optional<double> lowerBound;
};

Result<Solution> search(const ScheduleOptions &options, const Shape &shape, Costs costs) {
  auto result = searchSchedule(shape, {.costs = costs, .memoryLimit = options.memory});
  if (!result)
    return result.diagnostics();
  return Solution{std::move(result->schedule), std::move(costs), result->lowerBound};
}

/// The schedule of a file, with the times of the file or of the options.
Result<Solution> readSolution(const ScheduleOptions &options) {
  Diagnostics errors;
  for (auto [name, value] :
       {std::pair("--stages", options.stages), std::pair("--microbatches", options.microBatches),
        std::pair("--chunks", options.chunks)})
    if (value != 0)
      errors.add(name, "the file of --schedule has this number, expected it once");
  if (!errors.empty())
    return errors;
  auto text = readFile(inputPath(options.schedule));
  if (!text)
    return text.diagnostics();
  auto read = parseTimedSchedule(*text, options.schedule);
  if (!read)
    return read.diagnostics();
  if (!read->jobTimes.empty() && !options.times.empty())
    return errorAt("--times", "the file of --schedule has the times of its jobs, expected them once");
  auto costs = costsOf(options, read->schedule.shape);
  if (!costs)
    return costs.diagnostics();
  if (!read->jobTimes.empty()) {
    costs->jobTimes = std::move(read->jobTimes);
    costs->updates = std::move(read->updates);
  }
  return Solution{std::move(read->schedule), std::move(*costs), std::nullopt};
}

Result<Solution> solve(const ScheduleOptions &options) {
  std::optional<ScheduleKind> kind = parseScheduleKind(options.schedule);
  if (!kind)
    return readSolution(options);
  Diagnostics missing;
  if (options.stages == 0)
    missing.add("--schedule", "the number of ranks is missing: expected --stages N");
  if (options.microBatches == 0)
    missing.add("--schedule", "the number of micro-batches is missing: expected --microbatches N");
  if (!missing.empty())
    return missing;
  int64_t chunks = options.chunks == 0 ? defaultChunks(*kind) : options.chunks;
  auto shape = shapeFor(*kind, options.stages, options.microBatches, chunks);
  if (!shape)
    return shape.diagnostics();
  auto costs = costsOf(options, *shape);
  if (!costs)
    return costs.diagnostics();
  if (*kind == ScheduleKind::Automatic)
    return search(options, *shape, std::move(*costs));
  return Solution{buildSchedule(*kind, *shape), std::move(*costs), std::nullopt};
}

std::string describe(const Solution &solution, const Timeline &timeline) {
  const Shape &shape = solution.schedule.shape;
  std::string text =
      fmt::format("{} ranks, {} micro-batches, {} chunks{}\n", shape.ranks, shape.microBatches, shape.chunks,
                  shape.chunks > 1 ? fmt::format(" ({})", textOf(shape.placement)) : "");
  text +=
      fmt::format("time of a step: {:.6g} (first to last job: {:.6g})\n", timeline.period, timeline.makespan);
  if (solution.lowerBound)
    text += fmt::format("lower bound: {:.6g} (the step is {:.1f} % above it)\n", *solution.lowerBound,
                        100 * (timeline.period / *solution.lowerBound - 1));
  text +=
      fmt::format("idle: {:.6g}, {:.1f} % of the work\n\n", timeline.bubble(), 100 * timeline.bubbleRatio());
  text += "rank       busy       idle  activations\n";
  for (int64_t rank = 0; rank < shape.ranks; ++rank)
    text += fmt::format("{:>4} {:>10.6g} {:>10.6g} {:>12.6g}\n", rank, timeline.busy[rank],
                        timeline.idle(rank), timeline.peak[rank]);
  return text;
}

/// The same figures as `describe`.
nlohmann::json jsonOf(const Solution &solution, const Timeline &timeline) {
  const Shape &shape = solution.schedule.shape;
  nlohmann::json ranks = nlohmann::json::array();
  for (int64_t rank = 0; rank < shape.ranks; ++rank)
    ranks.push_back(
        {{"busy", timeline.busy[rank]}, {"idle", timeline.idle(rank)}, {"activations", timeline.peak[rank]}});
  nlohmann::json result = {{"micro_batches", shape.microBatches},
                           {"chunks", shape.chunks},
                           {"time", timeline.period},
                           {"first_to_last_job", timeline.makespan},
                           {"idle", timeline.bubble()},
                           {"idle_of_work", timeline.bubbleRatio()},
                           {"ranks", std::move(ranks)}};
  if (solution.lowerBound)
    result["lower_bound"] = *solution.lowerBound;
  return result;
}

} // namespace

void declareSchedules(CLI::App &line, ScheduleOptions &options) {
  std::string names;
  for (ScheduleKind kind : allScheduleKinds())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", nameOf(kind));
  auto add = [&](const char *name, auto &value, const std::string &description) {
    return line.add_option(name, value, description)->group(scheduleGroup);
  };
  add("--schedule", options.schedule,
      "Prints the idle time and memory of a schedule: " + names + ", or a file with its text form")
      ->check(checkName)
      ->type_name("NAME|FILE");
  add("--stages", options.stages, "Number of ranks of the pipeline")
      ->check(CLI::Range(int64_t(1), mostStages))
      ->type_name("N");
  add("--microbatches", options.microBatches, "Number of micro-batches of a step")
      ->check(CLI::Range(int64_t(1), mostMicroBatches))
      ->type_name("N");
  add("--chunks", options.chunks,
      "Number of chunks of the model on each rank; default: 2 where the schedule has several")
      ->check(CLI::Range(int64_t(1), mostChunks))
      ->type_name("N");
  add("--times", options.times,
      "Times of forward, input gradient and weight gradient of a micro-batch on a rank, and of its optimizer "
      "(0); once for all ranks, or once for each rank or each stage; default: 1,1,1")
      ->check(CLI::Validator(checkTimes, ""))
      ->allow_extra_args(false)
      ->type_name("F,B,W[,U]");
  add("--latency", options.latency, "Time of a message between ranks")
      ->check(CLI::Range(0.0, 1e12))
      ->type_name("TIME");
  add("--activations", options.memory,
      "Limit of the activations of a rank, as a multiple of one micro-batch's; a schedule above it is an "
      "error")
      ->check(CLI::Range(0.0, 1e12))
      ->type_name("N");
  add("--schedule-svg", options.svgFile, "Draws the schedule: jobs, idle time and activations over time")
      ->check(checkName)
      ->type_name("FILE");
  add("--schedule-text", options.textFile, "Writes the schedule as text, which --schedule reads")
      ->check(checkName)
      ->type_name("FILE");
}

Result<void> showSchedule(const ScheduleOptions &options) {
  Diagnostics errors;
  for (const std::string *file : {&options.svgFile, &options.textFile})
    if (!file->empty() && *file != "-")
      checkOutputFile(*file, errors);
  if (!errors.empty())
    return errors;
  auto solution = solve(options);
  if (!solution)
    return solution.diagnostics();
  errors = check(solution->schedule,
                 {.memoryLimit = options.memory, .costs = solution->costs, .name = options.schedule});
  if (!errors.empty())
    return errors;
  Timeline timeline = simulate(solution->schedule, solution->costs);
  if (options.json)
    fmt::print("{}\n", jsonOf(*solution, timeline).dump());
  else
    fmt::print("{}", describe(*solution, timeline));
  if (!options.svgFile.empty())
    if (Result<void> written =
            writeOutput(options.svgFile, drawSchedule(solution->schedule, timeline, options.schedule));
        !written)
      return written;
  if (!options.textFile.empty())
    return writeOutput(options.textFile, textOf(solution->schedule, solution->costs));
  return {};
}

} // namespace proa::tools
