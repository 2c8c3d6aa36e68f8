//! dist-pipeline: divides a training step into the stages of a pipeline.
#include "passes/pipeline/Passes.h"

#include "lib/base/pipeline/Builders.h"

#include "dialects/dist/Schedule.h"
#include "dialects/dist/StageMark.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/proa/Proa.h"
#include "passes/pipeline/OptimizerBarrier.h"
#include "passes/pipeline/StageCosts.h"
#include "passes/pipeline/StagePrograms.h"
#include "passes/remarks/Remarks.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_PIPELINESTAGES
#include "passes/pipeline/Passes.h.inc"

namespace {

class PipelineStagesPass : public impl::PipelineStagesBase<PipelineStagesPass> {
public:
  using PipelineStagesBase::PipelineStagesBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    given = {};
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || !llvm::hasSingleElement(main.getBody()))
      return getOperation().emitError() << getArgumentName() << ": expected a function 'main' with one block";
    FailureOr<dist::MeshOp> mesh = findMesh();
    if (failed(mesh))
      return failure();
    FailureOr<MicroBatchLoop> loop = findMicroBatchLoop(main);
    if (failed(loop))
      return failure();
    removeSeeds(*loop);
    int64_t ranks = mesh->getMesh().getSizes()[axisIndex];
    FailureOr<pipeline::Shape> shape = shapeOf(ranks, loop->count);
    if (failed(shape))
      return failure();
    FailureOr<std::pair<StageAssignment, pipeline::Schedule>> stages = stagesFor(main, *loop, *shape);
    if (failed(stages))
      return failure();
    const auto &[assignment, schedule] = *stages;
    main.walk([](Operation *op) { op->setLoc(dist::withoutStage(op->getLoc())); });
    remarkBarrier(main, *loop, assignment, schedule.shape);
    if (failed(writeStagePrograms(main, *loop, assignment, schedule, splitMesh(*mesh))))
      return failure();
    (*mesh).erase();
    if (given)
      given.erase();
    return success();
  }

  FailureOr<dist::MeshOp> findMesh() {
    auto meshes = getOperation().getOps<dist::MeshOp>();
    if (meshes.empty())
      return getOperation().emitError()
             << getArgumentName() << ": expected a mesh with the axis '" << axis << "'";
    if (!llvm::hasSingleElement(meshes))
      return (*std::next(meshes.begin())).emitError()
             << getArgumentName() << ": is a second mesh; expected one";
    dist::MeshOp mesh = *meshes.begin();
    ArrayRef<StringAttr> names = mesh.getMesh().getNames();
    auto found = llvm::find_if(names, [&](StringAttr name) { return name.getValue() == axis; });
    if (found == names.end())
      return mesh.emitError() << getArgumentName() << ": expected an axis '" << axis
                              << "' whose indices are the ranks of the pipeline";
    axisIndex = found - names.begin();
    return mesh;
  }

  static void removeSeeds(MicroBatchLoop &loop) {
    for (Operation *seed : loop.seeds) {
      loop.dependent.erase(seed);
      seed->getResult(0).replaceAllUsesWith(seed->getOperand(0));
      seed->erase();
    }
    loop.seeds.clear();
  }

  /// The sizes of the schedule of the module, or of the one that the options name.
  FailureOr<pipeline::Shape> shapeOf(int64_t ranks, int64_t microBatches) {
    auto schedules = getOperation().getOps<dist::ScheduleOp>();
    if (llvm::range_size(schedules) > 1)
      return (*std::next(schedules.begin())).emitError("is a second schedule; expected one");
    if (!schedules.empty())
      given = *schedules.begin();
    if (!given) {
      kind = schedule == ScheduleChoice::OfProgram ? pipeline::ScheduleKind::OneFOneB
                                                   : static_cast<pipeline::ScheduleKind>(schedule.getValue());
      if (memory > 0 && kind != pipeline::ScheduleKind::Automatic)
        return getOperation().emitError() << getArgumentName()
                                          << ": a memory limits the search of the schedule "
                                             "auto, found '"
                                          << pipeline::nameOf(kind) << "'";
      Result<pipeline::Shape> shape =
          pipeline::shapeFor(kind, ranks, microBatches, chunks > 0 ? chunks : pipeline::defaultChunks(kind));
      if (shape)
        return *shape;
      return getOperation().emitError() << getArgumentName() << ": " << shape.diagnostics()[0].message;
    }
    pipeline::Shape shape = given.toSchedule().shape;
    if (schedule != ScheduleChoice::OfProgram || chunks > 0)
      return given.emitError("the program has a schedule; expected no other one");
    if (shape.ranks != ranks || shape.microBatches != microBatches)
      return given.emitError() << "is for " << shape.ranks << " ranks and " << shape.microBatches
                               << " micro-batches, expected " << ranks << " ranks, the size of the axis '"
                               << axis << "', and " << microBatches << " micro-batches";
    return shape;
  }

  /// The stages and the order of their jobs: given, published or searched.
  FailureOr<std::pair<StageAssignment, pipeline::Schedule>>
  stagesFor(func::FuncOp main, const MicroBatchLoop &loop, const pipeline::Shape &shape) {
    if (!given && kind == pipeline::ScheduleKind::Automatic) {
      std::optional<double> limit =
          memory > 0 ? std::optional(static_cast<double>(memory)) : std::optional<double>();
      FailureOr<SearchedSchedule> searched = searchStages(main, loop, shape.ranks, chunks, limit);
      if (failed(searched))
        return failure();
      remarkSearch(loop, searched->result);
      return std::pair(std::move(searched->assignment), std::move(searched->result.schedule));
    }
    FailureOr<StageAssignment> assignment = StageAssignment::create(main, loop, shape.stages());
    if (failed(assignment))
      return failure();
    return std::pair(std::move(*assignment),
                     given ? given.toSchedule() : pipeline::buildSchedule(kind, shape));
  }

  void remarkSearch(const MicroBatchLoop &loop, const pipeline::SearchResult &searched) {
    const pipeline::Timeline &timeline = searched.timeline;
    PassRemarks(getArgumentName()).analysis(loop.loop)
        << llvm::formatv("auto: {0} chunks for each rank, a step of {1:f1} us (lower bound {2:f1} us), "
                         "activations of at most {3:f0} bytes on a rank",
                         searched.schedule.shape.chunks, timeline.period * 1e6, searched.lowerBound * 1e6,
                         *llvm::max_element(timeline.peak))
               .str();
  }

  /// Idle time of zero-bubble schedules assumes that a rank begins the next step while others end this one.
  void remarkBarrier(func::FuncOp main, const MicroBatchLoop &loop, const StageAssignment &assignment,
                     const pipeline::Shape &shape) {
    if (!PassRemarks::areEnabled(&getContext()))
      return;
    if (Operation *barrier = findOptimizerBarrier(main, loop, assignment, shape))
      PassRemarks(getArgumentName()).missed(barrier) << barrier->getName().getStringRef()
                                                     << " combines gradients of several ranks, and updates "
                                                        "of parameters need its result: all ranks wait for "
                                                        "it, also in schedules without idle time";
  }

  /// Creates the mesh of each rank: the devices with its index on the axis.
  RankMeshes splitMesh(dist::MeshOp op) {
    spmd::Mesh mesh = op.getMesh().toMesh();
    SmallVector<StringAttr> names(op.getMesh().getNames());
    SmallVector<int64_t> sizes(op.getMesh().getSizes());
    int64_t ranks = sizes[axisIndex], inner = 1;
    for (int64_t size : ArrayRef(sizes).drop_front(axisIndex + 1))
      inner *= size;
    names.erase(names.begin() + axisIndex);
    sizes.erase(sizes.begin() + axisIndex);
    RankMeshes meshes{FlatSymbolRefAttr::get(op.getSymNameAttr()), {}};
    OpBuilder builder(op);
    SymbolTable symbols(getOperation());
    for (int64_t rank = 0; rank < ranks; ++rank) {
      SmallVector<int64_t> devices;
      for (int64_t position = 0; position < mesh.size(); ++position)
        if (position / inner % ranks == rank)
          devices.push_back(mesh.deviceAt(position));
      auto created =
          dist::MeshOp::create(builder, op.getLoc(), (op.getSymName() + "_stage" + Twine(rank)).str(),
                               dist::MeshAttr::get(&getContext(), names, sizes, devices));
      symbols.insert(created, Block::iterator(op));
      meshes.ranks.push_back(FlatSymbolRefAttr::get(created.getSymNameAttr()));
    }
    return meshes;
  }

  size_t axisIndex = 0;
  pipeline::ScheduleKind kind = pipeline::ScheduleKind::OneFOneB;
  dist::ScheduleOp given;
};

} // namespace
} // namespace proa
