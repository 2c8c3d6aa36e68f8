#include "lib/planner/BuildPlan.h"
#include "lib/planner/MemoryPlan.h"

#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"
#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/shape/Shape.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa::planner {
namespace {

using runtime::none;
using runtime::Plan;
using runtime::Step;
using runtime::Storage;
using runtime::ValueId;

/// "net.py:42" of a location made by the translator, or nothing.
std::string lineOf(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return lineOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    return fused.getLocations().empty() ? "" : lineOf(fused.getLocations().front());
  if (auto line = dyn_cast<FileLineColLoc>(location))
    return (line.getFilename().getValue() + ":" + llvm::Twine(line.getLine())).str();
  return "";
}

std::string nameOf(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? name.getName().str() : "";
}

nlohmann::json toJson(Attribute attribute) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return value.getValue();
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return value.getInt();
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return value.getValueAsDouble();
  if (auto value = dyn_cast<StringAttr>(attribute))
    return value.getValue().str();
  if (auto value = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::vector<int64_t>(value.asArrayRef());
  if (auto value = dyn_cast<DenseF64ArrayAttr>(attribute))
    return std::vector<double>(value.asArrayRef());
  if (auto value = dyn_cast<TypeAttr>(attribute)) {
    auto dtype = pd::dtypeOf(value.getValue());
    return dtype ? nlohmann::json(std::string(proa::nameOf(*dtype))) : nlohmann::json();
  }
  nlohmann::json out;
  if (auto value = dyn_cast<ArrayAttr>(attribute)) {
    out = nlohmann::json::array();
    for (Attribute item : value)
      out.push_back(toJson(item));
  } else if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    out = nlohmann::json::object();
    for (NamedAttribute item : dictionary)
      out[item.getName().str()] = toJson(item.getValue());
  }
  return out;
}

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp main, const std::function<KernelFacts(llvm::StringRef)> &kernelFacts)
      : main(main), kernelFacts(kernelFacts) {}

  Result<Plan> build() {
    addArguments();
    for (Operation &op : main.getBody().front())
      addOp(op);
    if (!problems.empty())
      return problems;
    placeArena();
    releaseDynamic();
    return std::move(plan);
  }

private:
  ValueId addValue(Value value, Storage storage, std::string name = "") {
    auto type = pd::tensorType(value);
    runtime::Value entry;
    entry.dtype = *pd::dtypeOf(type.getElementType());
    for (int64_t dim : type.getShape())
      entry.dims.push_back(ShapedType::isDynamic(dim) ? runtime::dynamicDim : dim);
    entry.storage = storage;
    entry.name = std::move(name);
    plan.values.push_back(std::move(entry));
    auto id = static_cast<ValueId>(plan.values.size() - 1);
    ids[value] = id;
    return id;
  }

  void addArguments() {
    llvm::StringSet<> states;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (auto name = main.getResultAttrOfType<StringAttr>(i, "pd.state"))
        states.insert(name.getValue());
    for (BlockArgument argument : main.getArguments()) {
      auto feed = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "pd.feed");
      auto parameter = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "pd.param");
      // State changes from run to run: its owner feeds it.
      bool isFeed = feed || (parameter && states.contains(parameter.getValue()));
      ValueId id = addValue(argument, isFeed ? Storage::Feed : Storage::Parameter, (feed ? feed : parameter).str());
      (isFeed ? plan.feeds : plan.parameters).push_back(id);
    }
  }

  void addOp(Operation &op) {
    if (auto constant = dyn_cast<pd::ConstantOp>(op))
      return addConstant(constant);
    if (auto reshape = dyn_cast<pd::ReshapeOp>(op); reshape && pd::tensorType(reshape.getOut()).hasStaticShape())
      return addAlias(reshape);
    if (auto call = dyn_cast<func::CallOp>(op))
      return addKernel(call);
    if (auto library = dyn_cast<pd::LibraryOpInterface>(op))
      return addLibrary(library);
    if (auto exit = dyn_cast<func::ReturnOp>(op))
      return addFetches(exit);
    problems.add(nameOf(op.getLoc()) + (lineOf(op.getLoc()).empty() ? "" : " at " + lineOf(op.getLoc())),
                 "the CPU back end has no kernel for " + op.getName().getStringRef().str());
  }

  void addConstant(pd::ConstantOp op) {
    ValueId id = addValue(op.getOut(), Storage::Constant);
    Tensor tensor = pd::tensorFromAttribute(op.getValue());
    auto alignment = static_cast<size_t>(runtime::addressAlignment);
    plan.constants.resize((plan.constants.size() + alignment - 1) / alignment * alignment);
    plan.values[id].offset = static_cast<int64_t>(plan.constants.size());
    auto *bytes = static_cast<const std::byte *>(tensor.data());
    plan.constants.insert(plan.constants.end(), bytes, bytes + tensor.bytes());
  }

  void addAlias(pd::ReshapeOp op) {
    ValueId base = ids.lookup(op.getX());
    ValueId id = addValue(op.getOut(), Storage::Alias);
    plan.values[id].base = base;
  }

  void addKernel(func::CallOp call) {
    Step step;
    step.kind = runtime::StepKind::Kernel;
    step.symbol = call.getCallee().str();
    for (Value operand : call.getOperands())
      step.inputs.push_back(ids.lookup(operand));
    KernelFacts facts = kernelFacts(call.getCallee());
    step.extent = facts.extent;
    step.work = facts.work;
    if (auto label = call->getAttrOfType<StringAttr>("proa.label"))
      step.label = label.str();
    addStep(std::move(step), call);
  }

  void addLibrary(pd::LibraryOpInterface op) {
    Step step;
    step.kind = runtime::StepKind::Library;
    step.symbol = op.getLibraryKernel().str();
    step.label = op->getName().stripDialect().str();
    addLibraryInputs(step, op);
    for (NamedAttribute attribute : op->getAttrDictionary())
      if (attribute.getName() != "operandSegmentSizes" && attribute.getName() != "resultSegmentSizes")
        step.attributes[attribute.getName().str()] = toJson(attribute.getValue());
    addStep(std::move(step), op);
  }

  /// One entry for each operand; `none` where an optional one is absent, but not at the end.
  void addLibraryInputs(Step &step, Operation *op) {
    auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    if (!segments) {
      for (Value operand : op->getOperands())
        step.inputs.push_back(ids.lookup(operand));
      return;
    }
    unsigned next = 0;
    for (int32_t size : segments.asArrayRef()) {
      if (size == 0)
        step.inputs.push_back(none);
      for (int32_t i = 0; i < size; ++i)
        step.inputs.push_back(ids.lookup(op->getOperand(next++)));
    }
    while (!step.inputs.empty() && step.inputs.back() == none)
      step.inputs.pop_back();
  }

  bool isConstant(ValueId id) const {
    if (id == none)
      return true;
    const runtime::Value &value = plan.values[id];
    switch (value.storage) {
    case Storage::Parameter:
    case Storage::Constant:
    case Storage::Prepared:
      return true;
    case Storage::Alias:
      return isConstant(value.base);
    default:
      return false;
    }
  }

  void addStep(Step step, Operation *op) {
    bool isStatic = llvm::all_of(op->getResultTypes(), [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); });
    bool once = isStatic && (isPure(op) || isa<func::CallOp>(op)) &&
                llvm::all_of(step.inputs, [&](ValueId id) { return isConstant(id); });
    step.location = lineOf(op->getLoc());
    for (Value result : op->getResults()) {
      if (step.kind == runtime::StepKind::Library && result.use_empty() && op->getNumResults() > 1) {
        step.outputs.push_back(none);
        continue;
      }
      bool isStaticResult = pd::tensorType(result).hasStaticShape();
      Storage storage = once ? Storage::Prepared : isStaticResult ? Storage::Arena : Storage::Dynamic;
      step.outputs.push_back(addValue(result, storage, nameOf(op->getLoc())));
    }
    (once ? plan.prepare : plan.steps).push_back(std::move(step));
  }

  void addFetches(func::ReturnOp exit) {
    for (auto [i, value] : llvm::enumerate(exit.getOperands())) {
      auto fetch = main.getResultAttrOfType<StringAttr>(i, "pd.fetch");
      auto state = main.getResultAttrOfType<StringAttr>(i, "pd.state");
      plan.fetches.push_back(ids.lookup(value));
      plan.fetchNames.push_back(fetch ? fetch.str() : state ? state.str() : "result" + std::to_string(i));
    }
  }

  ValueId rootOf(ValueId id) const {
    while (plan.values[id].storage == Storage::Alias)
      id = plan.values[id].base;
    return id;
  }

  /// For each value, the last step that reads it; steps.size() for what is fetched.
  std::vector<int64_t> lastUses() const {
    std::vector<int64_t> last(plan.values.size(), -1);
    for (auto [index, step] : llvm::enumerate(plan.steps))
      for (const auto *list : {&step.inputs, &step.outputs})
        for (ValueId id : *list)
          if (id != none)
            last[rootOf(id)] = static_cast<int64_t>(index);
    for (ValueId id : plan.fetches)
      last[rootOf(id)] = static_cast<int64_t>(plan.steps.size());
    return last;
  }

  /// The summand that a product adds first, if its memory can become the result's: it lives in the arena, has the same
  /// size, dies here, and nothing else here reads it. The runtime's products add in place then.
  ValueId summandToReuse(const Step &step, int64_t index, const std::vector<int64_t> &last) const {
    auto postOps = step.attributes.find("post_ops");
    if (step.kind != runtime::StepKind::Library || postOps == step.attributes.end() || step.outputs.size() != 1)
      return none;
    size_t operands = 0, summand = 0;
    bool found = false;
    for (const nlohmann::json &op : *postOps) {
      const nlohmann::json &kind = op["kind"];
      if (kind == "add" && !std::exchange(found, true))
        summand = operands;
      operands += kind == "bias" || kind == "add" || kind == "multiply";
    }
    if (!found || operands > step.inputs.size())
      return none;
    size_t position = step.inputs.size() - operands + summand;
    ValueId id = step.inputs[position], out = step.outputs[0];
    ValueId root = rootOf(id);
    bool dies = plan.values[root].storage == Storage::Arena && last[root] == index;
    bool same = plan.values[root].dtype == plan.values[out].dtype &&
                elementCount(plan.values[root].dims) == elementCount(plan.values[out].dims);
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (i != position && step.inputs[i] != none && rootOf(step.inputs[i]) == root)
        return none;
    return dies && same && plan.values[out].storage == Storage::Arena ? root : none;
  }

  void placeArena() {
    std::vector<int64_t> last = lastUses();
    std::vector<Lifetime> lifetimes;
    std::vector<std::pair<ValueId, size_t>> owners;
    std::vector<size_t> bufferOf(plan.values.size(), 0);
    for (auto [step_, step] : llvm::enumerate(plan.steps)) {
      auto index = static_cast<int64_t>(step_);
      ValueId reused = summandToReuse(step, index, last);
      for (ValueId id : step.outputs) {
        if (id == none || plan.values[id].storage != Storage::Arena)
          continue;
        if (reused != none) {
          bufferOf[id] = bufferOf[reused];
          lifetimes[bufferOf[id]].last = last[id];
        } else {
          int64_t count = elementCount(plan.values[id].dims).value_or(0);
          bufferOf[id] = lifetimes.size();
          lifetimes.push_back({count * static_cast<int64_t>(sizeOf(plan.values[id].dtype)), index, last[id]});
        }
        owners.emplace_back(id, bufferOf[id]);
      }
    }
    MemoryPlan memory = planMemory(lifetimes, runtime::addressAlignment);
    for (auto [id, buffer] : owners)
      plan.values[id].offset = memory.offsets[buffer];
    plan.arenaBytes = memory.bytes;
  }

  void releaseDynamic() {
    std::vector<int64_t> last = lastUses();
    for (ValueId id = 0; id < static_cast<ValueId>(plan.values.size()); ++id)
      if (plan.values[id].storage == Storage::Dynamic && last[id] >= 0 && last[id] < static_cast<int64_t>(plan.steps.size()))
        plan.steps[last[id]].release.push_back(id);
  }

  func::FuncOp main;
  const std::function<KernelFacts(llvm::StringRef)> &kernelFacts;
  Plan plan;
  Problems problems;
  llvm::DenseMap<Value, ValueId> ids;
};

} // namespace

Result<Plan> buildPlan(func::FuncOp main, const std::function<KernelFacts(llvm::StringRef)> &kernelFacts) {
  return PlanBuilder(main, kernelFacts).build();
}

} // namespace proa::planner
