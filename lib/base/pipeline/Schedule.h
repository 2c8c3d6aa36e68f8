/// Pipeline schedules: the jobs of each rank in the order in which it runs them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proa::pipeline {

/// The work of a job, for one micro-batch on one chunk of the model.
enum class JobKind : uint8_t {
  Forward,        ///< "F"
  InputGradient,  ///< "B": the gradient of the chunk's input
  WeightGradient, ///< "W": the gradients of the chunk's parameters
  Backward,       ///< "BW": both gradients in one job
};

struct Job {
  JobKind kind = JobKind::Forward;
  int64_t microBatch = 0;
  /// The chunk of the rank, from 0.
  int64_t chunk = 0;
  bool operator==(const Job &) const = default;
};

/// Which stages a rank has. With p ranks and v chunks a model has p * v stages.
enum class ChunkPlacement : uint8_t {
  RoundRobin, ///< chunk c of rank r is stage c * p + r
  V,          ///< like RoundRobin for even chunks; odd chunks run from the last rank to the first
};

/// The sizes of a schedule.
struct Shape {
  int64_t ranks = 1;
  int64_t chunks = 1; ///< of each rank
  int64_t microBatches = 1;
  ChunkPlacement placement = ChunkPlacement::RoundRobin;

  int64_t stages() const { return ranks * chunks; }
  int64_t stageOf(int64_t rank, int64_t chunk) const;
  int64_t rankOf(int64_t stage) const;
  int64_t chunkOf(int64_t stage) const { return stage / ranks; }
  bool operator==(const Shape &) const = default;
};

struct Schedule {
  Shape shape;
  /// The jobs of each rank, in order.
  std::vector<std::vector<Job>> jobs;
  bool operator==(const Schedule &) const = default;
};

/// The steps of a micro-batch on a stage. A job BW is at the step InputGradient and is its own
/// WeightGradient.
enum class Step : uint8_t { Forward, InputGradient, WeightGradient };
constexpr int64_t stepCount = 3;
Step stepOf(JobKind kind);

/// A job by its stage instead of its chunk.
struct StageJob {
  Step step = Step::Forward;
  int64_t microBatch = 0;
  int64_t stage = 0;
};

/// Up to two jobs, without memory of their own: searches ask for the dependencies of millions of jobs.
class JobPair {
public:
  void push_back(const StageJob &job) { jobs[count++] = job; }
  const StageJob *begin() const { return jobs.data(); }
  const StageJob *end() const { return jobs.data() + count; }

private:
  std::array<StageJob, 2> jobs;
  size_t count = 0;
};

/// The jobs that must end before a job begins:
/// F of a stage needs F of the stage before; B needs F of its stage and B of the stage after; W needs B.
JobPair dependencies(const Shape &shape, const StageJob &job);

/// Where a schedule runs each job.
class JobIndex {
public:
  struct Slot {
    int64_t rank = -1;
    int64_t position = -1;
    bool exists() const { return rank >= 0; }
  };

  /// Jobs whose chunk or micro-batch is out of range are ignored; of jobs that are there twice the first
  /// counts.
  explicit JobIndex(const Schedule &schedule);
  Slot find(const StageJob &job) const { return slots[indexOf(job)]; }
  /// A dense index of jobs, below size().
  size_t indexOf(const StageJob &job) const;
  size_t size() const { return slots.size(); }

private:
  Shape shape;
  std::vector<Slot> slots;
};

StageJob stageJobOf(const Shape &shape, int64_t rank, const Job &job);

/// Whether the chunk and the micro-batch of the job exist.
bool isInRange(const Shape &shape, const Job &job);

/// "F3", with several chunks "F3.1" for chunk 1.
std::string textOf(const Job &job, int64_t chunks);

} // namespace proa::pipeline
