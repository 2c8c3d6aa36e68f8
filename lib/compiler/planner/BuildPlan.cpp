#include "lib/compiler/planner/BuildPlan.h"
#include "lib/compiler/planner/Lifetimes.h"
#include "lib/compiler/planner/PlaceOnDevice.h"
#include "lib/compiler/planner/ResidentStates.h"

#include "dialects/dist/JobMark.h"
#include "dialects/pd/ir/Arithmetic.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ResultNames.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "dialects/rt/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa::planner {
namespace {

using runtime::none;
using runtime::Plan;
using runtime::Step;
using runtime::Storage;
using runtime::ValueId;

/// The lines of a kernel's ops in their order, each once and at most `maximalLines`: "net.py:42, net.py:44".
std::string linesOf(FusedLoc fused) {
  constexpr size_t maximalLines = 3;
  SmallVector<std::string> lines;
  for (Location member : fused.getLocations())
    if (std::string line = lineOf(member); !line.empty() && !llvm::is_contained(lines, line))
      lines.push_back(line);
  std::string text = llvm::join(ArrayRef(lines).take_front(maximalLines), ", ");
  return lines.size() > maximalLines ? text + ", ..." : text;
}

} // namespace

std::string lineOf(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return lineOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    std::string lines = linesOf(fused), job = dist::jobOf(fused).str();
    return job.empty() ? lines : lines + (lines.empty() ? "(" : " (") + job + ")";
  }
  if (auto line = dyn_cast<FileLineColLoc>(location))
    return (line.getFilename().getValue() + ":" + llvm::Twine(line.getLine())).str();
  return "";
}

namespace {

std::string nameOf(Location location, size_t result = 0) { return pd::resultName(location, result).str(); }

std::string whereOf(Location location) {
  return nameOf(location) + (lineOf(location).empty() ? "" : " at " + lineOf(location));
}

std::optional<nlohmann::json> toJson(Attribute attribute);

template <class Items> nlohmann::json arrayOf(const Items &items) {
  nlohmann::json out = nlohmann::json::array();
  for (Attribute item : items)
    out.push_back(*toJson(item));
  return out;
}

/// A mesh or a sharding, or a component of one: an object with the parameters of the attribute's record.
std::optional<nlohmann::json> distToJson(Attribute attribute) {
  auto integers = [](ArrayRef<int64_t> values) { return std::vector<int64_t>(values); };
  if (auto axis = dyn_cast<dist::AxisAttr>(attribute))
    return nlohmann::json{{"name", axis.getName().str()}, {"pre", axis.getPre()}, {"size", axis.getSize()}};
  if (auto dim = dyn_cast<dist::DimShardingAttr>(attribute))
    return nlohmann::json{{"axes", arrayOf(dim.getAxes())},
                          {"isClosed", dim.getIsClosed()},
                          {"priority", dim.getPriority()},
                          {"blocks", integers(dim.getBlocks())}};
  if (auto partial = dyn_cast<dist::PartialAttr>(attribute))
    return nlohmann::json{{"reduction", dist::stringifyReduction(partial.getReduction()).str()},
                          {"axes", arrayOf(partial.getAxes())}};
  if (auto sharding = dyn_cast<dist::ShardingAttr>(attribute))
    return nlohmann::json{{"mesh", sharding.getMesh().getValue().str()},
                          {"dims", arrayOf(sharding.getDims())},
                          {"replicated", arrayOf(sharding.getReplicated())},
                          {"partial", arrayOf(sharding.getPartial())}};
  if (auto group = dyn_cast<dist::GroupAttr>(attribute))
    return nlohmann::json{{"mesh", group.getMesh().getValue().str()}, {"axes", arrayOf(group.getAxes())}};
  if (auto mesh = dyn_cast<dist::MeshAttr>(attribute))
    return nlohmann::json{{"names", arrayOf(mesh.getNames())},
                          {"sizes", integers(mesh.getSizes())},
                          {"devices", integers(mesh.getDevices())}};
  return std::nullopt;
}

/// The form in which a plan stores an attribute, which lib/runtime/plan/AttributeReader.h reads; nothing
/// where it has none.
std::optional<nlohmann::json> toJson(Attribute attribute) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return value.getValue();
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return value.getInt();
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return value.getValueAsDouble();
  if (auto value = dyn_cast<StringAttr>(attribute))
    return value.getValue().str();
  if (std::optional<llvm::StringRef> keyword = pd::keywordOf(attribute))
    return keyword->str();
  if (auto value = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::vector<int64_t>(value.asArrayRef());
  if (auto value = dyn_cast<DenseF64ArrayAttr>(attribute))
    return std::vector<double>(value.asArrayRef());
  if (auto value = dyn_cast<TypeAttr>(attribute)) {
    std::optional<DType> dtype = pd::dtypeOf(value.getValue());
    return dtype ? std::optional<nlohmann::json>(std::string(proa::nameOf(*dtype))) : std::nullopt;
  }
  if (auto value = dyn_cast<rt::PostOpAttr>(attribute)) {
    nlohmann::json out = {{"kind", rt::stringifyPostOpKind(value.getKind()).str()}};
    if (value.getAlpha())
      out["alpha"] = value.getAlpha().getValueAsDouble();
    if (value.getBeta())
      out["beta"] = value.getBeta().getValueAsDouble();
    return out;
  }
  if (std::optional<nlohmann::json> stored = distToJson(attribute))
    return stored;
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array)
    return std::nullopt;
  nlohmann::json out = nlohmann::json::array();
  for (Attribute item : array) {
    std::optional<nlohmann::json> stored = toJson(item);
    if (!stored)
      return std::nullopt;
    out.push_back(std::move(*stored));
  }
  return out;
}

/// The type of a tensor, also of one that is under way; null for other types.
RankedTensorType tensorOf(Type type) {
  auto future = dyn_cast<dist::FutureType>(type);
  return future ? future.getTensor() : dyn_cast<RankedTensorType>(type);
}

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp main, const std::function<KernelFacts(llvm::StringRef)> &kernelFacts,
              const DeviceLibraryChoice &deviceLibrary)
      : main(main), kernelFacts(kernelFacts), deviceLibrary(deviceLibrary) {}

  Result<Plan> build() {
    addArguments();
    for (Operation &op : main.getBody().front())
      addOp(op);
    if (!diagnostics.empty())
      return diagnostics;
    if (deviceLibrary)
      for (auto *list : {&plan.prepare, &plan.steps})
        runtime::forEachStep(*list, [&](Step &step) {
          if (step.kind == runtime::StepKind::Library)
            step.launch.library = deviceLibrary(step, plan);
        });
    placeOnDevice(plan);
    completeStates(plan);
    placeValues(plan, accumulators);
    return std::move(plan);
  }

private:
  ValueId addValue(Value value, Storage storage, std::string name = "") {
    auto type = tensorOf(value.getType());
    runtime::Value entry;
    auto array = dyn_cast<pd::ArrayType>(value.getType());
    if (array) {
      type = array.getElement();
      storage = Storage::Array;
    }
    if (!array || type) {
      std::optional<DType> dtype = pd::dtypeOf(type ? type.getElementType() : value.getType());
      if (!dtype) {
        std::string typeText;
        llvm::raw_string_ostream(typeText) << value.getType();
        diagnostics.add(whereOf(value.getLoc()), "the CPU back end has no values of type " + typeText);
      }
      entry.dtype = dtype.value_or(DType::Float32);
    }
    for (int64_t dim : type ? type.getShape() : ArrayRef<int64_t>())
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
      if (auto name = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute))
        states.insert(name.getValue());
    for (BlockArgument argument : main.getArguments()) {
      auto feed = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
      auto parameter = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute);
      if (!feed && !parameter) {
        diagnostics.add(whereOf(argument.getLoc()),
                        "argument " + std::to_string(argument.getArgNumber()) +
                            " has neither the attribute 'pd.feed' nor 'pd.param'");
        continue;
      }
      // State changes from run to run: its owner feeds it.
      bool isFeed = feed || (parameter && states.contains(parameter.getValue()));
      ValueId id =
          addValue(argument, isFeed ? Storage::Feed : Storage::Parameter, (feed ? feed : parameter).str());
      (isFeed ? plan.feeds : plan.parameters).push_back(id);
    }
  }

  void addOp(Operation &op) {
    if (auto constant = dyn_cast<pd::ConstantOp>(op))
      return addConstant(constant.getOut(), constant.getValue());
    if (rt::resultStorageOf(&op) == rt::ResultStorage::Reshaped &&
        pd::tensorType(op.getResult(0)).hasStaticShape())
      return addAlias(op);
    if (auto call = dyn_cast<func::CallOp>(op))
      return addKernel(call);
    if (auto library = dyn_cast<pd::LibraryOpInterface>(op))
      return addLibrary(library);
    if (auto exit = dyn_cast<func::ReturnOp>(op))
      return addFetches(exit);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return addIf(branch);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return addWhile(loop);
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      return;
    if (addControlValue(op))
      return;
    diagnostics.add(whereOf(op.getLoc()),
                    "the CPU back end has no kernel for " + op.getName().getStringRef().str());
  }

  void addConstant(Value value, ElementsAttr elements) {
    ValueId id = addValue(value, Storage::Constant);
    Tensor tensor = pd::tensorFromAttribute(elements);
    auto alignment = static_cast<size_t>(runtime::addressAlignment);
    plan.constants.resize((plan.constants.size() + alignment - 1) / alignment * alignment);
    plan.values[id].offset = static_cast<int64_t>(plan.constants.size());
    auto *bytes = static_cast<const std::byte *>(tensor.data());
    plan.constants.insert(plan.constants.end(), bytes, bytes + tensor.bytes());
  }

  void addAlias(Operation &op) {
    ValueId base = ids.lookup(op.getOperand(0));
    ValueId id = addValue(op.getResult(0), Storage::Alias);
    plan.values[id].base = base;
  }

  void addKernel(func::CallOp call) {
    Step step;
    step.kind = runtime::StepKind::Kernel;
    step.symbol = call.getCallee().str();
    for (Value operand : call.getOperands())
      step.inputs.push_back(ids.lookup(operand));
    KernelFacts facts = kernelFacts(call.getCallee());
    step.rows = facts.rows;
    step.work = facts.work;
    step.flops = facts.flops;
    step.launch = facts.launch;
    step.hasCounters = facts.hasCounters;
    step.checks = facts.checks;
    step.dimChecks = facts.dimChecks;
    if (auto described = KernelCallAttr::of(call))
      step.label = described.getLabel().str();
    Step &added = addStep(std::move(step), call);
    bool isPrepared = !plan.prepare.empty() && &added == &plan.prepare.back();
    for (const std::vector<int64_t> &dims : facts.scratch)
      added.outputs.push_back(addScratch(dims, isPrepared));
  }

  /// Memory that a kernel uses while it runs. Plan::prepare has no arena.
  ValueId addScratch(const std::vector<int64_t> &dims, bool isPrepared) {
    runtime::Value value;
    value.dtype = DType::UInt8;
    value.dims = dims;
    bool isStatic = llvm::all_of(dims, [](int64_t dim) { return dim != runtime::dynamicDim; });
    value.storage = isStatic && !isPrepared ? Storage::Arena : Storage::Dynamic;
    plan.values.push_back(std::move(value));
    return static_cast<ValueId>(plan.values.size() - 1);
  }

  void addLibrary(pd::LibraryOpInterface op) {
    Step step;
    step.kind = runtime::StepKind::Library;
    step.symbol = op.getLibraryKernel().str();
    step.label = op->getName().stripDialect().str();
    step.flops = static_cast<double>(pd::operationsOf(op).value_or(0));
    step.isStart = llvm::any_of(op->getResultTypes(), llvm::IsaPred<dist::FutureType>);
    addLibraryInputs(step, op);
    addAttributes(step, op);
    addStep(std::move(step), op);
    if (auto fused = dyn_cast<rt::PostOpsOpInterface>(op.getOperation()))
      if (Value accumulator = fused.getAccumulator())
        accumulators[ids.lookup(op->getResult(0))] = ids.lookup(accumulator);
  }

  /// Attributes of passes, whose names begin with a dialect's name, do not belong to the kernel.
  void addAttributes(Step &step, Operation *op) {
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      StringRef name = attribute.getName();
      if (name == "operandSegmentSizes" || name == "resultSegmentSizes" || name.contains('.'))
        continue;
      std::optional<nlohmann::json> stored = toJson(attribute.getValue());
      if (!stored) {
        std::string text;
        llvm::raw_string_ostream(text) << attribute.getValue();
        diagnostics.add(whereOf(op->getLoc()),
                        "a plan cannot store the attribute '" + name.str() + "', " + text);
        continue;
      }
      step.attributes[name.str()] = std::move(*stored);
    }
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

  Step &addStep(Step step, Operation *op) {
    bool isStatic = llvm::all_of(op->getResultTypes(), [](Type type) {
      RankedTensorType tensor = tensorOf(type);
      return tensor && tensor.hasStaticShape();
    });
    // In a body only what cannot fail: the body may never run.
    bool cannotFail = isa<func::CallOp>(op) || op->hasTrait<pd::MovesElements>();
    bool once = isStatic && ((isPure(op) && steps == &plan.steps) || cannotFail) &&
                llvm::all_of(step.inputs, [&](ValueId id) { return isConstant(id); });
    step.location = lineOf(op->getLoc());
    for (Value result : op->getResults()) {
      if (step.kind == runtime::StepKind::Library && result.use_empty() && op->getNumResults() > 1) {
        step.outputs.push_back(none);
        continue;
      }
      RankedTensorType type = tensorOf(result.getType());
      rt::ResultStorage shared = rt::resultStorageOf(op);
      bool inArena =
          type && type.hasStaticShape() && !escapes(result) && shared != rt::ResultStorage::ArrayElement;
      Storage storage = shared == rt::ResultStorage::Awaited ? Storage::Alias
                        : once                               ? Storage::Prepared
                        : inArena                            ? Storage::Arena
                                                             : Storage::Dynamic;
      size_t index = cast<OpResult>(result).getResultNumber();
      ValueId id = addValue(result, storage, nameOf(op->getLoc(), index));
      if (storage == Storage::Alias)
        plan.values[id].base = step.inputs.front();
      step.outputs.push_back(id);
    }
    std::vector<Step> &list = once ? plan.prepare : *steps;
    list.push_back(std::move(step));
    return list.back();
  }

  /// Maps conditions (tensor.extract) and casts to types with fewer static dims to the plan's value of their
  /// operand.
  bool addControlValue(Operation &op) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      ids[extract.getResult()] = ids.lookup(extract.getTensor());
      return extract.getIndices().empty();
    }
    if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      ids[cast.getResult()] = ids.lookup(cast.getSource());
      // Steps take dims from their inputs when they run, so a value may have more static dims than its
      // reader's type.
      if (tensor::preservesStaticInformation(cast.getType(), cast.getSource().getType()))
        return true;
      return llvm::all_of(cast->getUsers(), [](Operation *user) {
        return isa<scf::YieldOp, scf::ConditionOp, scf::WhileOp, func::ReturnOp>(user);
      });
    }
    if (rt::resultStorageOf(&op) == rt::ResultStorage::Forwarded) {
      ids[op.getResult(0)] = ids.lookup(op.getOperand(0));
      return true;
    }
    APInt known;
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isInteger(1) ||
        !matchPattern(&op, m_ConstantInt(&known)))
      return false;
    addConstant(op.getResult(0),
                DenseElementsAttr::get(RankedTensorType::get({}, op.getResult(0).getType()), known));
    return true;
  }

  /// The steps of a block; its terminator's operands from `first` on are the results.
  runtime::Body makeBody(Region &region, ArrayRef<ValueId> arguments) {
    runtime::Body body;
    if (region.empty())
      return body;
    for (auto [argument, id] : llvm::zip(region.getArguments(), arguments))
      ids[argument] = id;
    body.arguments.assign(arguments.begin(), arguments.end());
    std::vector<Step> *outer = std::exchange(steps, &body.steps);
    for (Operation &op : region.front())
      addOp(op);
    steps = outer;
    for (Value value : region.front().getTerminator()->getOperands())
      body.results.push_back(ids.lookup(value));
    return body;
  }

  /// The body of a branch. If it has an op without a kernel, a run that reaches the branch is an error.
  runtime::Body makeBranch(Region &region) {
    size_t before = diagnostics.size();
    runtime::Body body = makeBody(region, {});
    if (diagnostics.size() == before)
      return body;
    std::string message;
    Diagnostics outside;
    for (size_t i = 0; i < diagnostics.size(); ++i)
      if (i < before)
        outside.add(diagnostics[i].location, diagnostics[i].message);
      else
        message += (message.empty() ? "" : "; ") + diagnostics[i].location + ": " + diagnostics[i].message;
    diagnostics = std::move(outside);
    Step fail;
    fail.kind = runtime::StepKind::Library;
    fail.symbol = fail.label = "fail";
    fail.attributes["message"] = message;
    for (Value value : region.front().getTerminator()->getOperands())
      fail.outputs.push_back(addValue(value, Storage::Dynamic));
    body = {};
    body.results.assign(fail.outputs.begin(), fail.outputs.end());
    body.steps.push_back(std::move(fail));
    return body;
  }

  void addControlStep(Step step, Operation *op) {
    step.symbol = step.label = op->getName().stripDialect().str();
    step.location = lineOf(op->getLoc());
    for (Value result : op->getResults())
      step.outputs.push_back(addValue(result, Storage::Dynamic, nameOf(op->getLoc())));
    steps->push_back(std::move(step));
  }

  void addIf(scf::IfOp op) {
    Step step;
    step.kind = runtime::StepKind::If;
    step.inputs = {ids.lookup(op.getCondition())};
    step.bodies.push_back(makeBranch(op.getThenRegion()));
    step.bodies.push_back(makeBranch(op.getElseRegion()));
    addControlStep(std::move(step), op);
  }

  void addWhile(scf::WhileOp op) {
    Step step;
    step.kind = runtime::StepKind::While;
    for (Value init : op.getInits())
      step.inputs.push_back(ids.lookup(init));
    llvm::SmallVector<ValueId> testArguments, bodyArguments;
    for (Value argument : op.getBeforeArguments())
      testArguments.push_back(addValue(argument, Storage::Dynamic, nameOf(op->getLoc())));
    step.bodies.push_back(makeBody(op.getBefore(), testArguments));
    // An argument that the test passes through unchanged keeps its value.
    auto flowing = op.getConditionOp().getArgs();
    for (auto [i, argument] : llvm::enumerate(op.getAfterArguments())) {
      bool same = isa<BlockArgument>(flowing[i]) && flowing[i].getParentBlock() == op.getBeforeBody() &&
                  flowing[i].getType() == argument.getType() && llvm::count(flowing, flowing[i]) == 1;
      bodyArguments.push_back(same ? ids.lookup(flowing[i])
                                   : addValue(argument, Storage::Dynamic, nameOf(op->getLoc())));
    }
    step.bodies.push_back(makeBody(op.getAfter(), bodyArguments));
    addControlStep(std::move(step), op);
  }

  /// Whether control flow or an array keeps the bytes of a value. Such a value is not in the arena, where the
  /// next iteration writes.
  static bool escapes(Value value) {
    return llvm::any_of(value.getUses(), [](OpOperand &use) {
      Operation *user = use.getOwner();
      rt::ResultStorage storage = rt::resultStorageOf(user);
      if (storage == rt::ResultStorage::Reshaped || storage == rt::ResultStorage::Forwarded ||
          isa<tensor::CastOp>(user) || (storage == rt::ResultStorage::Awaited && use.getOperandNumber() == 0))
        return escapes(user->getResult(0));
      return isa<scf::YieldOp, scf::ConditionOp>(user) || storage == rt::ResultStorage::Array;
    });
  }

  void addState(StringRef name, int32_t fetch) {
    auto feed = llvm::find_if(plan.feeds, [&](ValueId id) { return plan.values[id].name == name; });
    if (feed != plan.feeds.end())
      plan.states.push_back({.feed = *feed, .fetch = fetch});
  }

  void addFetches(func::ReturnOp exit) {
    for (auto [i, value] : llvm::enumerate(exit.getOperands())) {
      auto fetch = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute);
      auto state = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
      plan.fetches.push_back(ids.lookup(value));
      if (state)
        addState(state.getValue(), static_cast<int32_t>(i));
      plan.fetchNames.push_back(fetch ? fetch.str() : state ? state.str() : "result" + std::to_string(i));
    }
  }

  func::FuncOp main;
  const std::function<KernelFacts(llvm::StringRef)> &kernelFacts;
  const DeviceLibraryChoice &deviceLibrary;
  Plan plan;
  std::vector<Step> *steps = &plan.steps; ///< the list that is being filled
  Diagnostics diagnostics;
  llvm::DenseMap<Value, ValueId> ids;
  Accumulators accumulators;
};

} // namespace

Result<Plan> buildPlan(func::FuncOp main, const std::function<KernelFacts(llvm::StringRef)> &kernelFacts,
                       const DeviceLibraryChoice &deviceLibrary) {
  main.getContext()->getOrLoadDialect<rt::RtDialect>(); // attaches StorageOpInterface
  return PlanBuilder(main, kernelFacts, deviceLibrary).build();
}

} // namespace proa::planner
