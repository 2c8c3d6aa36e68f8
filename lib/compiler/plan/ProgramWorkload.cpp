#include "lib/compiler/plan/ProgramWorkload.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/mesh/PipelineForm.h"
#include "lib/compiler/plan/AxisProbe.h"
#include "lib/compiler/plan/ImportedProgram.h"
#include "lib/compiler/plan/RepeatedLayers.h"
#include "lib/compiler/plan/TrainingForm.h"

#include "dialects/dist/StageMark.h"
#include "dialects/pd/ir/Arithmetic.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Pd.h"
#include "passes/analysis/KernelGroups.h"
#include "passes/autodiff/RecomputeCut.h"
#include "passes/autodiff/Transforms.h"

#include "llvm/ADT/Hashing.h"

#include <fmt/format.h>

#include <numeric>

using namespace mlir;

namespace proa {
namespace {

double bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return 0;
  double bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
  return static_cast<double>(type.getNumElements()) * bits / 8;
}

template <class Entry> void addTo(std::vector<Entry> &list, const Entry &added, auto... members) {
  for (Entry &entry : list)
    if (entry.splits == added.splits) {
      ((entry.*members += added.*members), ...);
      return;
    }
  list.push_back(added);
}

class Describer {
public:
  Describer(TrainingForm form, const WorkloadOptions &options)
      : form(std::move(form)), options(options), block(this->form.main.getBody().front()),
        lifetimes(this->form.main.getBody().front()) {}

  ProgramWorkload run() {
    for (const char *axis : {"mp", "cp", "ep"})
      probes[axis] = probeAxis(form.main, axis);
    data = probeAxis(form.main, "dp");
    if (isBig("mp"))
      sequence = probeAxis(form.main, "sp");
    findLayers();
    assignBackward();
    findKernels();
    for (auto [index, op] : llvm::enumerate(order))
      addWork(op);
    addParameters();
    addKept();
    addBoundaries();
    addCollectives();
    return finish();
  }

private:
  bool isBig(const char *axis) const { return probes.at(axis).reason.empty(); }

  uint8_t splitsOf(Value value) const {
    return mask(form.ofBatch.contains(value),
                [&](const AxisProbe &probe) { return probe.values.contains(value); });
  }
  uint8_t splitsOf(Operation *op) const {
    bool isOfBatch = llvm::any_of(op->getOperands(), [&](Value v) { return form.ofBatch.contains(v); });
    return mask(isOfBatch, [&](const AxisProbe &probe) { return probe.ops.contains(op); });
  }
  template <class Has> uint8_t mask(bool isOfBatch, const Has &has) const {
    unsigned splits = isOfBatch ? plan::batchSplit : 0;
    for (auto [axis, bit] :
         {std::pair{"mp", plan::modelSplit}, {"cp", plan::sequenceSplit}, {"ep", plan::expertSplit}})
      if (isBig(axis) && has(probes.at(axis)))
        splits |= bit;
    return static_cast<uint8_t>(splits);
  }
  /// Of one example, if the amount is proportional to the batch; values of floats may be of 16 bits.
  double perExample(uint8_t splits, double amount) const {
    return splits & plan::batchSplit ? amount / static_cast<double>(form.batch) : amount;
  }
  double storedBytes(Value value) const {
    bool isHalved = options.is16Bit && isa<FloatType>(getElementTypeOrSelf(value.getType()));
    return isHalved ? bytesOf(value) / 2 : bytesOf(value);
  }
  plan::Amount amountOf(Value value) const {
    uint8_t splits = splitsOf(value);
    return {splits, perExample(splits, storedBytes(value))};
  }

  /// Cuts the forward region into layers.
  void findLayers() {
    llvm::DenseMap<Operation *, size_t> position;
    for (auto [i, op] : llvm::enumerate(form.forward))
      position[op] = i;
    std::vector<uint64_t> hashes;
    std::vector<double> crossing(form.forward.size() + 1, 0);
    for (auto [i, op] : llvm::enumerate(form.forward)) {
      hashes.push_back(llvm::hash_combine(op->getName(), op->getAttrDictionary(),
                                          llvm::hash_combine_range(op->getOperandTypes()),
                                          llvm::hash_combine_range(op->getResultTypes())));
      for (Value result : op->getResults()) {
        size_t last = i;
        for (Operation *user : result.getUsers())
          if (auto found = position.find(block.findAncestorOpInBlock(*user)); found != position.end())
            last = std::max(last, found->second);
        crossing[i + 1] += bytesOf(result);
        if (last + 1 < crossing.size())
          crossing[last + 1] -= bytesOf(result);
      }
    }
    for (size_t i = 1; i < crossing.size(); ++i)
      crossing[i] += crossing[i - 1];
    ranges = findRepeatedLayers(hashes, crossing);
    layers.resize(ranges.begins.size());
    for (auto [i, op] : llvm::enumerate(form.forward))
      layerOf[op] = static_cast<int>(llvm::upper_bound(ranges.begins, i) - ranges.begins.begin()) - 1;
    order = form.forward;
    llvm::append_range(order, form.backward);
  }

  /// A backward op belongs to the last layer of which it reads a value.
  void assignBackward() {
    llvm::DenseMap<Value, int> ofParameter;
    for (Operation *op : form.forward)
      for (Value operand : op->getOperands())
        if (isa<BlockArgument>(operand))
          ofParameter.try_emplace(operand, layerOf[op]);
    auto last = static_cast<int>(layers.size()) - 1;
    int current = last;
    for (Operation *op : form.backward) {
      int found = -1;
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (auto own = layerOf.find(source); source && own != layerOf.end() && isForward(source))
          found = std::max(found, own->second);
        else if (auto parameter = ofParameter.find(operand); parameter != ofParameter.end())
          found = std::max(found, parameter->second);
      }
      for (Value operand : op->getOperands())
        if (auto own = layerOf.find(operand.getDefiningOp()); found < 0 && own != layerOf.end())
          found = own->second;
      current = found < 0 ? current : found;
      layerOf[op] = current;
      backward.insert(op);
    }
    parameterLayer = std::move(ofParameter);
  }
  bool isForward(Operation *op) const { return !backward.contains(op) && layerOf.contains(op); }

  /// The kernel of each primitive, and values that stay inside of one.
  void findKernels() {
    groups = findKernelGroups(block);
    for (const auto &group : groups)
      for (Operation *member : group->members)
        groupOf[member] = group.get();
  }
  bool isInside(Value value) const {
    const KernelGroup *group = groupOf.lookup(value.getDefiningOp());
    return group &&
           llvm::all_of(value.getUsers(), [&](Operation *user) { return groupOf.lookup(user) == group; });
  }

  /// Bytes that an op reads and writes outside of its kernel.
  double trafficOf(Operation *op) const {
    if (op->getNumResults() > 0 && lifetimes.rootOf(op->getResult(0)) != op->getResult(0))
      return 0; // an alias
    double bytes = 0;
    const KernelGroup *group = groupOf.lookup(op);
    for (Value operand : op->getOperands())
      if (!group || groupOf.lookup(operand.getDefiningOp()) != group)
        bytes += storedBytes(operand);
    for (Value result : op->getResults())
      bytes += isInside(result) ? 0 : storedBytes(result);
    return bytes;
  }

  plan::Work workOf(Operation *op) const {
    uint8_t splits = splitsOf(op);
    double flops = 0;
    if (isa<pd::ContractionOpInterface>(op))
      flops = static_cast<double>(pd::operationsOf(op).value_or(0));
    double bytes = trafficOf(op);
    const KernelGroup *group = groupOf.lookup(op);
    bool isStart = bytes > 0 && (!group || group->members.back() == op);
    return {splits, perExample(splits, flops), perExample(splits, bytes), isStart ? 1.0 : 0.0};
  }

  void addWork(Operation *op) {
    plan::Layer &layer = layers[static_cast<size_t>(layerOf[op])];
    plan::Work work = workOf(op);
    bool isBackward = backward.contains(op);
    addTo(isBackward ? layer.backward : layer.forward, work, &plan::Work::flops, &plan::Work::bytes,
          &plan::Work::ops);
    if (!isBackward)
      return;
    // The largest op decides what is needed besides kept values.
    std::vector<plan::Amount> needed;
    double sum = 0, most = 0;
    for (Value value : op->getResults())
      addTo(needed, amountOf(value), &plan::Amount::amount);
    for (Value value : op->getOperands())
      if (Operation *source = value.getDefiningOp(); source && backward.contains(source))
        addTo(needed, amountOf(value), &plan::Amount::amount);
    for (const plan::Amount &amount : needed)
      sum += amount.amount;
    for (const plan::Amount &amount : layer.working)
      most += amount.amount;
    if (sum > most)
      layer.working = std::move(needed);
  }

  void addParameters() {
    for (BlockArgument parameter : form.parameters) {
      auto layer = parameterLayer.find(parameter);
      uint8_t splits = splitsOf(parameter);
      double elements = static_cast<double>(cast<RankedTensorType>(parameter.getType()).getNumElements());
      size_t index = layer == parameterLayer.end() ? 0 : static_cast<size_t>(layer->second);
      addParameters(layers[index].parameters, {splits, elements});
    }
  }

  /// Joins parameters of equal splits and sizes.
  static void addParameters(std::vector<plan::Parameters> &list, const plan::Parameters &added) {
    auto sizeOf = [](const plan::Parameters &own) { return own.elements / own.count; };
    for (plan::Parameters &own : list)
      if (own.splits == added.splits && sizeOf(own) == sizeOf(added)) {
        own.elements += added.elements;
        own.count += added.count;
        return;
      }
    list.push_back(added);
  }

  void keep(plan::Recompute mode, Value value) {
    Value root = lifetimes.rootOf(value);
    Operation *op = root.getDefiningOp();
    auto layer = layerOf.find(op);
    if (!op || layer == layerOf.end() || !isForward(op) || bytesOf(root) == 0)
      return;
    if (kept[static_cast<size_t>(mode)].insert(root).second)
      addTo(layers[static_cast<size_t>(layer->second)].kept[static_cast<size_t>(mode)], amountOf(root),
            &plan::Amount::amount);
  }

  /// Values that the backward region reads; with recomputation the minimum cut.
  void addKept() {
    for (Operation *op : form.backward)
      for (Value operand : op->getOperands())
        keep(plan::Recompute::None, operand);
    autodiff::RecomputeCut cut = autodiff::findRecomputeCut(lifetimes, {});
    for (Operation *op : form.backward)
      for (Value operand : op->getOperands())
        if (!cut.recomputed.contains(operand))
          keep(plan::Recompute::Selective, operand);
    for (Value value : cut.recomputed) {
      Operation *op = value.getDefiningOp();
      auto layer = layerOf.find(op);
      if (layer == layerOf.end() || !isForward(op))
        continue;
      addTo(layers[static_cast<size_t>(layer->second)].cheap, workOf(op), &plan::Work::flops,
            &plan::Work::bytes, &plan::Work::ops);
      for (Value operand : op->getOperands())
        if (!cut.recomputed.contains(operand))
          keep(plan::Recompute::Selective, operand);
    }
  }

  /// Values that flow from one layer to the next: full recomputation keeps them.
  void addBoundaries() {
    llvm::DenseSet<Value> seen;
    for (Operation *op : form.forward)
      for (Value operand : op->getOperands()) {
        Value root = lifetimes.rootOf(operand);
        Operation *source = root.getDefiningOp();
        if (!source || !isForward(source) || layerOf[source] >= layerOf[op] || !seen.insert(root).second)
          continue;
        auto at = static_cast<size_t>(layerOf[source]);
        addTo(layers[at].output, amountOf(root), &plan::Amount::amount);
        addTo(layers[at + 1].kept[2], amountOf(root), &plan::Amount::amount);
      }
  }

  void addCollectives() {
    addCollectives("mp", probes.at("mp"), plan::modelSplit);
    addCollectives("sp", sequence, plan::modelSplit);
    addCollectives("ep", probes.at("ep"), plan::expertSplit);
    addCollectives("cp", probes.at("cp"), plan::sequenceSplit);
    addCollectives("dp", data, plan::batchSplit);
  }

  /// Divides the collectives of an axis over the layers by their arithmetic that is split.
  void addCollectives(const std::string &axis, const AxisProbe &probe, uint8_t bit) {
    if (!probe.reason.empty())
      return;
    std::vector<double> shares;
    for (const plan::Layer &layer : layers) {
      double share = 0;
      for (const plan::Work &work : layer.forward)
        share += work.splits & bit ? work.flops : 0;
      shares.push_back(share);
    }
    double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (const auto &[kind, sum] : probe.collectives)
      for (size_t i = 0; i < layers.size() && total > 0; ++i)
        if (shares[i] > 0)
          addCollective(layers[i], axis, kind, sum, shares[i] / total);
  }

  /// Half of them in each direction.
  void addCollective(plan::Layer &layer, const std::string &axis, plan::Collective kind,
                     const AxisProbe::Total &sum, double share) {
    // Over dp statistics of the batch are combined, whose sizes do not depend on it.
    unsigned splits = axis == "dp" ? 0 : plan::batchSplit;
    if ((axis == "mp" || axis == "sp") && isBig("cp"))
      splits |= plan::sequenceSplit;
    double bytes = options.is16Bit ? sum.bytes / 2 : sum.bytes;
    // The probe has two devices: a permute, an all_to_all and an all_gather moved shards of this size. Of a
    // tensor that is split, a device has half.
    plan::Communication half{kind, axis, static_cast<uint8_t>(splits),
                             perExample(static_cast<uint8_t>(splits), bytes) * share / 2,
                             sum.count * share / 2};
    layer.forwardCollectives.push_back(half);
    layer.backwardCollectives.push_back(half);
  }

  /// The mean of the layers of each kind.
  ProgramWorkload finish() {
    ProgramWorkload described;
    plan::Workload &workload = described.workload;
    workload.name = options.name;
    workload.is16Bit = options.is16Bit;
    workload.layers = ranges.kinds;
    for (size_t begin : ranges.begins)
      workload.firstOps.push_back(firstOpFrom(begin));
    int kinds = *llvm::max_element(ranges.kinds) + 1;
    for (int kind = 0; kind < kinds; ++kind)
      workload.kinds.push_back(meanOf(kind));
    double optimizer = options.optimizerBytes.value_or(
        form.optimizerBytes > 0 || form.isTraining ? form.optimizerBytes : adamBytes);
    workload.states =
        options.is16Bit ? plan::StateBytes{2, 2, optimizer + 4} : plan::StateBytes{4, 4, optimizer};
    for (const auto &[axis, probe] : probes)
      if (probe.reason.empty())
        workload.divides[axis] = probe.sizes;
      else
        workload.reasons[axis] = probe.reason;
    described.isTraining = form.isTraining;
    described.batch = form.batch;
    return described;
  }

  /// The index in the imported program of the first forward op that has one.
  int64_t firstOpFrom(size_t begin) const {
    for (Operation *op : ArrayRef(form.forward).drop_front(begin))
      if (std::optional<int64_t> index = dist::stageOf(op->getLoc()))
        return *index;
    return 0;
  }

  plan::Layer meanOf(int kind) const {
    plan::Layer mean;
    auto count = static_cast<double>(llvm::count(ranges.kinds, kind));
    auto addAll = [&](auto &into, const auto &from, auto... members) {
      for (auto entry : from) {
        ((entry.*members /= count), ...);
        addTo(into, entry, members...);
      }
    };
    for (size_t i = 0; i < layers.size(); ++i) {
      if (ranges.kinds[i] != kind)
        continue;
      const plan::Layer &layer = layers[i];
      for (const plan::Parameters &own : layer.parameters)
        addParameters(mean.parameters, own);
      addAll(mean.output, layer.output, &plan::Amount::amount);
      for (auto work : {&plan::Layer::forward, &plan::Layer::backward, &plan::Layer::cheap})
        addAll(mean.*work, layer.*work, &plan::Work::flops, &plan::Work::bytes, &plan::Work::ops);
      for (size_t mode = 0; mode < plan::recomputeModes; ++mode)
        addAll(mean.kept[mode], layer.kept[mode], &plan::Amount::amount);
      addAll(mean.working, layer.working, &plan::Amount::amount);
      mean.forwardCollectives = layer.forwardCollectives;
      mean.backwardCollectives = layer.backwardCollectives;
    }
    for (plan::Parameters &parameters : mean.parameters)
      parameters.elements /= count, parameters.count /= count;
    mean.name = fmt::format("{} x {} ops", count, opsOf(kind));
    return mean;
  }

  size_t opsOf(int kind) const {
    for (size_t i = 0; i < ranges.kinds.size(); ++i)
      if (ranges.kinds[i] == kind)
        return (i + 1 < ranges.begins.size() ? ranges.begins[i + 1] : form.forward.size()) - ranges.begins[i];
    return 0;
  }

  static constexpr double adamBytes = 8;

  TrainingForm form;
  const WorkloadOptions &options;
  Block &block;
  autodiff::ValueLifetimes lifetimes;
  std::map<std::string, AxisProbe> probes;
  AxisProbe data, sequence{.reason = "mp splits nothing"};
  RepeatedLayers ranges;
  std::vector<plan::Layer> layers; ///< by layer, not by kind
  std::vector<Operation *> order;  ///< forward, then backward
  llvm::DenseMap<Operation *, int> layerOf;
  llvm::DenseSet<Operation *> backward;
  llvm::DenseMap<Value, int> parameterLayer;
  llvm::SmallVector<std::unique_ptr<KernelGroup>> groups;
  llvm::DenseMap<Operation *, const KernelGroup *> groupOf;
  llvm::DenseSet<Value> kept[plan::recomputeModes];
};

} // namespace

/// Why a training program cannot compute its gradients for micro-batches; empty: it can.
static std::string whyNoMicroBatches(ModuleOp module, int64_t batch) {
  int64_t count = 2;
  while (batch % count != 0)
    ++count;
  DiagnosticCollector diagnostics(module.getContext());
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (succeeded(autodiff::accumulate(main, "accumulated", count)))
    return "";
  return (*diagnostics.take("the program has no micro-batches").begin()).message;
}

/// Marks the ops of the imported program by their indices, which the locations of other forms keep.
static void markOps(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    for (auto [index, op] : llvm::enumerate(main.getBody().front()))
      op.setLoc(dist::withStage(op.getLoc(), static_cast<int64_t>(index)));
}

Result<ProgramWorkload> describeWorkload(ModuleOp module, const WorkloadOptions &options) {
  if (Result<void> unmarked = markStages(module, nullptr); !unmarked)
    return unmarked.diagnostics();
  OwningOpRef<ModuleOp> original(module.clone());
  markOps(module);
  auto form = trainingForm(module);
  if (!form)
    return form.diagnostics();
  if (form->forward.empty())
    return errorAt(options.name, "the program has no ops, expected a model");
  ProgramWorkload described = Describer(std::move(*form), options).run();
  if (described.isTraining && described.batch > 1)
    if (std::string reason = whyNoMicroBatches(*original, described.batch); !reason.empty())
      described.workload.reasons["acc"] = reason;
  return described;
}

Result<ProgramWorkload> describeWorkload(const std::string &path,
                                         const std::map<std::string, std::vector<int64_t>> &dims,
                                         const WorkloadOptions &options,
                                         const std::function<void(const Diagnostic &)> &onDiagnostic) {
  auto program = importProgram(path, dims, onDiagnostic);
  return program ? describeWorkload(*program->module, options) : program.diagnostics();
}

} // namespace proa
