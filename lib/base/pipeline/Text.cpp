//! Reads and writes the text form of schedules.
#include "lib/base/pipeline/Text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <span>

namespace proa::pipeline {
namespace {

/// Ranks, chunks and micro-batches of a text; bounds the memory of a check.
constexpr int64_t mostOfEach = 4096;

constexpr std::string_view jobForm =
    "expected F, B, W or BW with a micro-batch, as F0, or with a chunk, as F0.1";
constexpr std::string_view timeForm = "expected a number from 0 to 1e12, as F0=1.5";
constexpr double longestTime = 1e12;

std::optional<int64_t> parseCount(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

std::optional<double> parseTime(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > longestTime)
    return std::nullopt;
  return value;
}

class TextReader {
public:
  TextReader(std::string_view text, std::string_view name) : text(text), name(name) {}

  Result<TimedSchedule> read() {
    for (size_t begin = 0; begin < text.size(); ++line) {
      size_t end = std::min(text.find('\n', begin), text.size());
      readLine(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (!hasHeader)
      report(1, "the schedule has no sizes: expected a first line as 'ranks=2 microbatches=4'");
    else if (errors.empty())
      for (size_t rank = 0; rank < hasRank.size(); ++rank)
        if (!hasRank[rank])
          report(1, fmt::format("rank {} has no line: expected a line '{}: ...' for each of {} ranks", rank,
                                rank, schedule.shape.ranks));
    if (!errors.empty())
      return errors;
    TimedSchedule result{std::move(schedule), {}, {}};
    if (firstUntimed && hasTimes)
      return errorAt(*firstUntimed, "the job has no time, but others have: expected times of all or of none");
    if (hasTimes) {
      result.jobTimes = std::move(jobTimes);
      result.updates = std::move(updates);
    }
    return result;
  }

private:
  struct Word {
    std::string_view text;
    size_t column;
  };

  static std::vector<Word> wordsOf(std::string_view content) {
    std::vector<Word> words;
    constexpr std::string_view blanks = " \t\r";
    content = content.substr(0, content.find('#'));
    for (size_t begin = content.find_first_not_of(blanks); begin != std::string_view::npos;) {
      size_t end = std::min(content.find_first_of(blanks, begin), content.size());
      words.push_back({content.substr(begin, end - begin), begin + 1});
      begin = content.find_first_not_of(blanks, end);
    }
    return words;
  }

  void readLine(std::string_view content) {
    std::vector<Word> words = wordsOf(content);
    if (words.empty())
      return;
    if (hasHeader)
      return readRank(words);
    hasHeader = true;
    for (const Word &word : words)
      readSize(word);
    if (schedule.shape.ranks * schedule.shape.chunks * schedule.shape.microBatches > mostOfEach * mostOfEach)
      report(1, fmt::format("the schedule is too large: expected at most {} jobs", mostOfEach * mostOfEach));
    schedule.jobs.resize(schedule.shape.ranks);
    jobTimes.resize(schedule.shape.ranks);
    updates.resize(schedule.shape.ranks);
    hasRank.resize(schedule.shape.ranks);
  }

  void readSize(const Word &word) {
    size_t equal = word.text.find('=');
    std::string_view key = word.text.substr(0, equal);
    std::string_view value = equal == std::string_view::npos ? "" : word.text.substr(equal + 1);
    constexpr std::array<std::pair<std::string_view, int64_t Shape::*>, 3> sizes{
        {{"ranks", &Shape::ranks}, {"chunks", &Shape::chunks}, {"microbatches", &Shape::microBatches}}};
    for (auto [size, member] : sizes)
      if (key == size) {
        std::optional<int64_t> count = parseCount(value);
        if (!count || *count < 1 || *count > mostOfEach)
          return report(word.column,
                        fmt::format("'{}': expected a number from 1 to {}", word.text, mostOfEach));
        schedule.shape.*member = *count;
        return;
      }
    if (key != "placement")
      return report(word.column,
                    fmt::format("unknown size '{}': expected ranks=N, microbatches=N, chunks=N or "
                                "placement=roundrobin|v",
                                word.text));
    std::optional<ChunkPlacement> placement = parsePlacement(value);
    if (!placement)
      return report(word.column, fmt::format("unknown placement '{}': expected roundrobin or v", value));
    schedule.shape.placement = *placement;
  }

  void readRank(const std::vector<Word> &words) {
    std::string_view label = words.front().text;
    std::optional<int64_t> rank;
    if (label.ends_with(':'))
      rank = parseCount(label.substr(0, label.size() - 1));
    if (!rank)
      return report(words.front().column,
                    fmt::format("'{}' is not a rank: expected a line as '0: F0 BW0'", label));
    if (*rank >= schedule.shape.ranks)
      return report(words.front().column, fmt::format("rank {} does not exist: expected a rank below {}",
                                                      *rank, schedule.shape.ranks));
    if (hasRank[*rank])
      return report(words.front().column, fmt::format("rank {} has two lines: expected one", *rank));
    hasRank[*rank] = true;
    for (const Word &word : std::span(words).subspan(1))
      readJob(*rank, word);
  }

  /// "F0", "F0=1.5", or "update=0.5".
  void readJob(int64_t rank, const Word &word) {
    size_t equal = word.text.find('=');
    std::string_view label = word.text.substr(0, equal);
    std::optional<double> time;
    if (equal != std::string_view::npos) {
      hasTimes = true;
      time = parseTime(word.text.substr(equal + 1));
      if (!time)
        return report(word.column, fmt::format("'{}' is not a time: {}", word.text, timeForm));
    }
    if (time && label == "update") {
      updates[rank] += *time;
      return;
    }
    std::optional<Job> job = parseJob(label);
    if (!job)
      return report(word.column, fmt::format("'{}' is not a job: {}", label, jobForm));
    schedule.jobs[rank].push_back(*job);
    jobTimes[rank].push_back(time.value_or(0));
    if (!time && !firstUntimed)
      firstUntimed = locationOf(word.column);
  }

  std::string locationOf(size_t column) const { return fmt::format("{}:{}:{}", name, line, column); }

  void report(size_t column, std::string message) { errors.add(locationOf(column), std::move(message)); }

  std::string_view text, name;
  size_t line = 1;
  bool hasHeader = false;
  Schedule schedule;
  std::vector<std::vector<double>> jobTimes;
  std::vector<double> updates;
  bool hasTimes = false;
  std::optional<std::string> firstUntimed; ///< its location
  std::vector<bool> hasRank;
  Diagnostics errors;
};

} // namespace

std::string_view textOf(ChunkPlacement placement) {
  return placement == ChunkPlacement::V ? "v" : "roundrobin";
}

std::optional<ChunkPlacement> parsePlacement(std::string_view text) {
  for (ChunkPlacement placement : {ChunkPlacement::RoundRobin, ChunkPlacement::V})
    if (text == textOf(placement))
      return placement;
  return std::nullopt;
}

std::optional<Job> parseJob(std::string_view text) {
  Job job;
  if (text.starts_with("BW"))
    job.kind = JobKind::Backward;
  else if (text.starts_with('F'))
    job.kind = JobKind::Forward;
  else if (text.starts_with('B'))
    job.kind = JobKind::InputGradient;
  else if (text.starts_with('W'))
    job.kind = JobKind::WeightGradient;
  else
    return std::nullopt;
  text.remove_prefix(job.kind == JobKind::Backward ? 2 : 1);
  size_t point = text.find('.');
  std::optional<int64_t> microBatch = parseCount(text.substr(0, point));
  std::optional<int64_t> chunk = point == std::string_view::npos ? 0 : parseCount(text.substr(point + 1));
  if (!microBatch || !chunk)
    return std::nullopt;
  job.microBatch = *microBatch;
  job.chunk = *chunk;
  return job;
}

std::string textOf(const Schedule &schedule, const Costs &costs) {
  const Shape &shape = schedule.shape;
  std::string text = fmt::format("ranks={} microbatches={}", shape.ranks, shape.microBatches);
  if (shape.chunks > 1)
    text += fmt::format(" chunks={} placement={}", shape.chunks, textOf(shape.placement));
  text += "\n";
  for (size_t rank = 0; rank < schedule.jobs.size(); ++rank) {
    text += fmt::format("{}:", rank);
    for (size_t position = 0; position < schedule.jobs[rank].size(); ++position) {
      text += " " + textOf(schedule.jobs[rank][position], shape.chunks);
      if (!costs.jobTimes.empty())
        text += fmt::format("={}", costs.jobTimes[rank][position]);
    }
    if (double update = costs.updateOf(static_cast<int64_t>(rank)); !costs.jobTimes.empty() && update > 0)
      text += fmt::format(" update={}", update);
    text += "\n";
  }
  return text;
}

Result<TimedSchedule> parseTimedSchedule(std::string_view text, std::string_view name) {
  return TextReader(text, name).read();
}

Result<Schedule> parseSchedule(std::string_view text, std::string_view name) {
  auto read = parseTimedSchedule(text, name);
  if (!read)
    return read.diagnostics();
  return std::move(read->schedule);
}

} // namespace proa::pipeline
