/// Steps of the dist dialect on local tensors: what a rank sends, receives, copies and combines.
///
/// Everything follows from the mesh, the two placements and the global dims: spmd::planExchange computes it
/// for one rank. `StepExecution` keeps that plan; `applyStep` plans and communicates at once.
#pragma once

#include "lib/base/spmd/Exchange.h"
#include "lib/runtime/plan/Library.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/ranks/Communicator.h"
#include "proa/Tensor.h"

namespace proa::runtime {

/// A step between two placements of a value.
struct PlacementStep {
  spmd::StepKind kind = spmd::StepKind::Slice;
  spmd::Mesh mesh;
  spmd::Placement from, to;
  /// Of the whole value; dynamicDim where a dim is not known before the run.
  std::vector<int64_t> dims;
  /// The number of the step in its program, which is the same on all ranks; for messages and agreement.
  int64_t index = 0;
};

/// The step that a library kernel computes ("dist_all_gather"), from its stored attributes. Error: another
/// kernel, or attributes that do not fit.
Result<PlacementStep> placementStepOf(const std::string &kernel, const nlohmann::json &attributes,
                                      const KernelRequest &request);

/// A transfer between this rank and another one (or itself), through a message whose elements are in the
/// order of the transfer.
struct Move {
  int64_t rank = 0;
  spmd::Transfer pack;   ///< from the local tensor before the step to the message
  spmd::Transfer unpack; ///< from the message to the local tensor after the step
  int64_t count = 0;
  /// The dims of the elements in the message.
  std::vector<int64_t> dims;
};

/// The transfers of a rank in a step: spmd::Exchange with ranks instead of positions.
struct RankExchange {
  std::vector<int64_t> sourceDims, targetDims;
  std::vector<Move> sends, receives;
  std::optional<spmd::Reduction> reduction, fill;
  std::vector<int64_t> group;
  bool isEven = false;

  RankExchange() = default;
  /// `rankOf` is the rank of a position of the exchange.
  RankExchange(const spmd::Exchange &exchange, const std::function<int64_t(int64_t)> &rankOf);
};

/// The elements that an exchange moves, and where.
struct ExchangeBuffers {
  DType dtype = DType::Float32;
  const void *source = nullptr; ///< of the dims sourceDims
  void *target = nullptr;       ///< of the dims targetDims
};

/// Communicates: moves the elements of the source to the target. `communicator` may be null if all transfers
/// are within one rank. Errors: from Communicator::exchange; a dtype that the reduction does not take.
Result<void> runExchange(Communicator *communicator, const Operation &operation, const RankExchange &exchange,
                         const ExchangeBuffers &buffers, int64_t channel = 0);

/// Starts to communicate: Communicator::start on `channel`. `exchange` and the buffers must live until the
/// end of the work, or a failure of the communicator.
Result<std::unique_ptr<StartedWork>> startExchange(Communicator &communicator, const Operation &operation,
                                                   const RankExchange &exchange,
                                                   const ExchangeBuffers &buffers, int64_t channel);

/// The channel of a started collective with this index (PlacementStep::index). The channels of transfers
/// between meshes are below.
int64_t channelOfStarted(int64_t index);
/// The channel of the transfers that `dist.send` and `dist.recv` call `channel`, from 0 to
/// transferChannels - 1.
int64_t channelOfTransfer(int64_t channel);
inline constexpr int64_t transferChannels = 1 << 20;

/// A step of one rank, whose plan is kept from run to run.
class StepExecution {
public:
  StepExecution(const PlacementStep &step, DType dtype);
  /// Plans for a local tensor of these dims; a plan for the same global dims is kept. Returns the dims of the
  /// result. Ranks exchange their sizes where a split dim of the value is not known before the run. Error:
  /// the dims do not match the placement; the rank is not a device of the mesh.
  Result<std::span<const int64_t>> plan(Communicator *communicator, std::span<const int64_t> localDims);
  /// Runs the last plan.
  Result<void> run(Communicator *communicator, const void *source, void *target) const;
  /// Starts the last plan, on the channel of the step. It must end before the next one.
  Result<std::unique_ptr<StartedWork>> start(Communicator &communicator, const void *source,
                                             void *target) const;
  const Operation &operation() const { return what; }
  /// The transfers of the last plan.
  const RankExchange &transfers() const { return exchange; }

private:
  Result<std::vector<int64_t>> globalDims(Communicator *communicator, int64_t position,
                                          std::span<const int64_t> localDims) const;

  PlacementStep step;
  DType dtype;
  Operation what;
  bool exchangesSizes = false;
  std::vector<int64_t> plannedDims; ///< of the value
  bool isPlanned = false;
  RankExchange exchange;
};

/// The local tensor after a step. `communicator` may be null for a mesh of one device. All ranks of the mesh
/// call it with the same step. Errors: from Communicator::exchange; a local tensor that has other dims
/// than the placement says; a rank that is not a device of the mesh.
Result<Tensor> applyStep(Communicator *communicator, const PlacementStep &step, const Tensor &local);

/// The position of a rank on a mesh. Error: it is not a device of the mesh.
Result<int64_t> positionOfRank(const spmd::Mesh &mesh, int64_t rank);

/// The shard of a whole tensor that a rank holds. Error: the placement is partial, or the rank is not a
/// device of the mesh.
Result<Tensor> localShard(const spmd::Mesh &mesh, const spmd::Placement &placement, const Tensor &whole,
                          int64_t rank);

/// The whole tensor, on all ranks, from the local ones of the mesh. All ranks call it; one that is not a
/// device of the mesh has a local tensor of the dtype without elements. `dims` describe the whole tensor;
/// `name` is for messages.
Result<Tensor> gatherWhole(Communicator *communicator, const spmd::Mesh &mesh,
                           const spmd::Placement &placement, std::span<const int64_t> dims,
                           const Tensor &local, const std::string &name);

} // namespace proa::runtime
