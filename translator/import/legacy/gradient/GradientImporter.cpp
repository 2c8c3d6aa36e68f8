#include "translator/import/legacy/gradient/GradientImporter.h"

#include "translator/import/legacy/ProgramImporter.h"
#include "translator/import/legacy/gradient/GradientSlots.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/PaddleGradient.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

using namespace mlir;

namespace proa::import {
namespace {

bool isGradientSlot(llvm::StringRef slot) { return slot.ends_with(gradientSuffix); }

/// Whether the forward op has an input slot of that name. Gradient ops also receive its outputs and copies of
/// its caches.
bool isInputOf(const LegacyOp &entry, const legacy::Operation *producer, llvm::StringRef slot) {
  if (producer)
    return producer->input(std::string_view(slot.data(), slot.size())) != nullptr;
  return llvm::any_of(entry.inputs, [&](const MappedSlot &input) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(input.spelling).split(names, '|');
    return llvm::any_of(names, [&](llvm::StringRef name) { return name.rtrim('*') == slot; });
  });
}

} // namespace

/// State of the import of one gradient op.
struct GradientImporter::GradientImport {
  const legacy::Operation &op;
  SlotValues received;
  /// The op's own record, if ops after it were imported already.
  const Producer *self = nullptr;
  /// In a gradient of a higher order: the inputs whose gradients it computes. A received value is independent
  /// of other values only if it is one of these inputs.
  std::optional<llvm::StringSet<>> independent = std::nullopt;

  int order = gradientOrder(op.type);
  const LegacyOp &entry = *findForwardOp(op);
  /// The forward op at this position: its inputs by name, its outputs.
  legacy::Operation forward = {};
  /// The forward op that ran before, if it is found. It has the inputs that the gradient op does not receive.
  const Producer *producer = nullptr;
  /// Values of the forward op's input slots.
  SlotValues inputs = {};
  /// A gradient to compute: by which input, and the output that receives it.
  struct Request {
    size_t slot, position;
    std::string output;
    size_t outputPosition;
  };
  std::vector<Request> requests = {};
};

void GradientImporter::scan(const legacy::Program &source) {
  for (const legacy::Block &block : source.blocks)
    for (const legacy::Operation &op : block.operations)
      if (findForwardOp(op.type)) {
        hasGradients = true;
        hasHigherGradients |= gradientOrder(op.type) > 1;
      }
}

SlotValues GradientImporter::inputValues(const legacy::Operation &op) const {
  SlotValues slots;
  for (const legacy::Slot &slot : op.inputs) {
    llvm::SmallVector<Value> values;
    for (const std::string &name : slot.arguments)
      values.push_back(program.lookup(name));
    slots.emplace_back(slot.name, std::move(values));
  }
  return slots;
}

void GradientImporter::recordProducer(const legacy::Operation &op) {
  producers.push_back({&op, inputValues(op)});
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      producersOf[name].push_back(producers.size() - 1);
}

void GradientImporter::truncateProducers(size_t count) {
  if (producers.size() == count)
    return;
  producers.resize(count);
  for (auto &entry : producersOf)
    llvm::erase_if(entry.second, [&](size_t index) { return index >= count; });
}

/// The last op of a forward type that wrote a variable whose value or cotangent the gradient op reads.
const GradientImporter::Producer *GradientImporter::findProducer(const legacy::Operation &op,
                                                                 llvm::ArrayRef<std::string> forwardTypes,
                                                                 const Producer *before) const {
  const Producer *last = nullptr;
  auto visit = [&](llvm::StringRef name) {
    auto found = producersOf.find(name);
    if (found == producersOf.end())
      return;
    for (size_t index : llvm::reverse(found->second))
      if (llvm::is_contained(forwardTypes, producers[index].op->type) &&
          (!before || &producers[index] < before)) {
        // Inputs of the op may be results of an earlier one of the same type: the latest is the one.
        if (!last || &producers[index] > last)
          last = &producers[index];
        return;
      }
  };
  bool isFirst = gradientOrder(op.type) == 1;
  for (const legacy::Slot &slot : op.inputs)
    for (llvm::StringRef name : slot.arguments) {
      if (!isFirst || !isGradientSlot(slot.name))
        visit(name);
      // "x@GRAD@GRAD@RENAME@block0@0" and "grad/x@GRAD@GRAD" are cotangents of x@GRAD.
      while (name.consume_front("grad/")) {
      }
      if (!isFirst || isGradientSlot(slot.name))
        visit(name.substr(0, isFirst ? name.find(gradientSuffix) : name.rfind(gradientSuffix)));
    }
  return last;
}

/// Whether each cotangent that the op names has a value. `@EMPTY@` means none.
bool GradientImporter::checkCotangents(const legacy::Operation &op) {
  size_t before = program.diagnostics.size();
  for (const legacy::Slot &slot : op.inputs)
    for (const std::string &name : slot.arguments) {
      if (!isGradientSlot(slot.name) || name == legacy::emptyVariable || program.lookup(name) ||
          program.poisoned.contains(name))
        continue;
      const legacy::Variable *variable = program.variables.find(program.currentBlock, name);
      if (variable && variable->kind == legacy::VariableKind::DenseTensorArray)
        continue;
      program.report("input '" + slot.name + "': variable '" + name + "' is read before anything defines it");
    }
  return program.diagnostics.size() == before;
}

/// Collects the forward op and the values of its inputs: the values that the gradient op receives, else the
/// values that the forward op had.
bool GradientImporter::collectForward(GradientImport &gradient) {
  const legacy::Operation &op = gradient.op;
  size_t before = program.diagnostics.size();
  llvm::SmallVector<std::string> types = differentiatedTypes(op.type);
  gradient.producer = findProducer(op, types, gradient.self);
  gradient.forward.type = types.front();
  gradient.forward.attributes = op.attributes;
  if (gradient.order > 1) {
    auto lost = gradient.producer || gradient.order > 2 ? std::nullopt : lostGradientOp(op, gradient.entry);
    if (!gradient.producer && !lost) {
      program.report("no '" + gradient.forward.type + "' before it computes its inputs");
      return false;
    }
    gradient.forward = lost ? *lost : *gradient.producer->op;
  }
  auto inputOf = [&](const std::string &slot) -> std::string {
    if (gradient.order > 1) {
      SlotRole role = inputRole(slot, gradient.forward, gradient.order);
      return role.kind == SlotRole::Input ? role.slot : "";
    }
    return !isGradientSlot(slot) &&
                   isInputOf(gradient.entry, gradient.producer ? gradient.producer->op : nullptr, slot)
               ? slot
               : "";
  };
  for (auto &[slot, values] : gradient.received) {
    std::string input = inputOf(slot);
    if (input.empty() || values.empty())
      continue;
    for (auto [name, value] : llvm::zip(op.input(slot)->arguments, values))
      if (!value && name != legacy::emptyVariable && !program.poisoned.contains(name))
        program.report("input '" + slot + "': variable '" + name + "' is read before anything defines it");
      else if (!value && name != legacy::emptyVariable)
        program.reportConsequence("input '" + slot + "': variable '" + name + "' could not be imported");
    gradient.inputs.emplace_back(input, values);
    if (gradient.order == 1)
      gradient.forward.inputs.push_back(*op.input(slot));
  }
  if (gradient.producer) {
    for (const legacy::Attribute &attribute : gradient.producer->op->attributes)
      if (!gradient.forward.attribute(attribute.name))
        gradient.forward.attributes.push_back(attribute);
    gradient.forward.outputs = gradient.producer->op->outputs;
    for (auto [slot, input] : llvm::zip(gradient.producer->op->inputs, gradient.producer->inputs))
      if (llvm::none_of(gradient.inputs, [&](auto &known) { return known.first == slot.name; })) {
        gradient.inputs.push_back(input);
        if (gradient.order == 1)
          gradient.forward.inputs.push_back(slot);
      }
  }
  return program.diagnostics.size() == before;
}

/// Finds the gradients that the op computes.
bool GradientImporter::findRequests(GradientImport &gradient) {
  size_t before = program.diagnostics.size();
  bool isOnIntegers = llvm::any_of(gradient.received, [](const auto &slot) {
    return isGradientSlot(slot.first) && llvm::any_of(slot.second, [](Value value) {
             return value && pd::isIntegerTensor(value.getType());
           });
  });
  bool isOfPoisoned = llvm::any_of(gradient.op.inputs, [&](const legacy::Slot &slot) {
    return llvm::any_of(slot.arguments,
                        [&](const std::string &name) { return program.poisoned.contains(name); });
  });
  for (const legacy::Slot &slot : gradient.op.outputs) {
    llvm::StringRef first = slot.name;
    if (slot.arguments.empty() || (gradient.order == 1 && !first.consume_back(gradientSuffix)))
      continue;
    std::string of = gradient.order == 1 ? first.str() : gradientOf(slot.name, gradient.forward);
    size_t index = 0;
    while (index < gradient.inputs.size() && gradient.inputs[index].first != of)
      ++index;
    // Fused ops also give the gradient of what they keep between their ops; nothing reads it.
    if (index == gradient.inputs.size() && gradient.forward.output(of))
      continue;
    for (auto [position, name] : llvm::enumerate(slot.arguments)) {
      if (name == legacy::emptyVariable)
        continue;
      if (index == gradient.inputs.size() || position >= gradient.inputs[index].second.size() ||
          !gradient.inputs[index].second[position])
        isOfPoisoned
            ? program.reportConsequence("input of the gradient of '" + name + "' could not be imported")
            : program.report("output '" + llvm::Twine(slot.name) + "': the op has no input '" + of +
                             "', and no '" + gradient.forward.type + "' before it computes its inputs");
      else if (Type type = gradient.inputs[index].second[position].getType();
               pd::hasTangent(type) || (isOnIntegers && pd::isIntegerTensor(type)))
        gradient.requests.push_back({index, position, slot.name, position});
    }
  }
  return program.diagnostics.size() == before;
}

/// Imports the forward op into the block of the region. Returns false after an error.
bool GradientImporter::importForward(const GradientImport &gradient, Location location, Block &body,
                                     SlotResults &results) {
  size_t before = program.diagnostics.size();
  OpBuilder::InsertionGuard guard(program.builder);
  program.builder.setInsertionPointToStart(&body);
  SlotValues inputs = gradient.inputs;
  for (auto [argument, request] : llvm::zip(body.getArguments(), gradient.requests))
    inputs[request.slot].second[request.position] = argument;
  if (gradient.order > 1) {
    GradientImport inner{gradient.forward, std::move(inputs), gradient.producer, llvm::StringSet<>()};
    for (const GradientImport::Request &request : gradient.requests)
      inner.independent->insert(gradient.inputs[request.slot].first);
    return createGradient(inner, location, results);
  }
  OpImporter importer(program, gradient.forward, program.builder, location);
  importer.entry = &gradient.entry;
  importer.takesArrays = gradient.entry.takesArrays;
  importer.capturedOutputs = &results;
  for (auto &[slot, values] : inputs)
    importer.overrideInputs(slot, values);
  program.importWithFusion(importer);
  return program.diagnostics.size() == before;
}

/// All results of the forward op, and their values and cotangents that the gradient op receives.
struct GradientImporter::ReceivedResults {
  llvm::SmallVector<Value> yielded, saved, cotangents;
  llvm::SmallVector<int64_t> savedOf, cotangentOf;
};

/// The cotangent slot of a result. Some gradient ops name it otherwise (`outputs@GRAD` of Out): then the
/// variables tell which result it is.
static std::string cotangentSlot(const legacy::Operation &op, const std::vector<legacy::Slot> &outputs,
                                 const std::string &slot) {
  const legacy::Slot *cotangents = op.input(slot);
  if (!isGradientSlot(slot) || !cotangents || cotangents->arguments.empty())
    return slot;
  std::string base = llvm::StringRef(slot).drop_back(gradientSuffix.size()).str();
  llvm::StringRef variable = cotangents->arguments.front();
  variable = variable.substr(0, variable.find(gradientSuffix));
  if (llvm::any_of(outputs, [&](const legacy::Slot &result) { return result.name == base; }))
    return slot;
  for (const legacy::Slot &result : outputs)
    if (!result.arguments.empty() && variable == result.arguments.front())
      return result.name + gradientSuffix.str();
  return slot;
}

GradientImporter::ReceivedResults GradientImporter::receivedResults(const GradientImport &gradient,
                                                                    const SlotResults &results) const {
  ReceivedResults received;
  auto find = [&](SlotRole::Kind kind, const std::string &of) -> const llvm::SmallVector<Value> * {
    for (auto &[slot, values] : gradient.received) {
      bool fits = gradient.order == 1 ? cotangentSlot(gradient.op, gradient.forward.outputs, slot) ==
                                            (kind == SlotRole::Cotangent ? of + gradientSuffix.str() : of)
                                      : false;
      if (gradient.order > 1) {
        SlotRole role = inputRole(slot, gradient.forward, gradient.order);
        fits = role.kind == kind && role.slot == of;
      }
      if (fits &&
          (kind == SlotRole::Cotangent || !gradient.independent || gradient.independent->contains(slot)))
        return &values;
    }
    return nullptr;
  };
  for (auto &[slot, values] : results) {
    const auto *value = find(SlotRole::Output, slot), *cotangent = find(SlotRole::Cotangent, slot);
    for (auto [position, result] : llvm::enumerate(values)) {
      auto valueIn = [position = position](const llvm::SmallVector<Value> *from) {
        return from && position < from->size() ? (*from)[position] : Value();
      };
      if (!result)
        continue;
      auto index = static_cast<int64_t>(received.yielded.size());
      received.yielded.push_back(result);
      if (Value known = valueIn(value); known && pd::compatibleTypes(known.getType(), result.getType())) {
        received.saved.push_back(known);
        received.savedOf.push_back(index);
      }
      if (Value known = valueIn(cotangent)) {
        received.cotangents.push_back(known);
        received.cotangentOf.push_back(index);
      }
    }
  }
  return received;
}

/// Programs declare the result of a real and a complex operand as real, so its cotangent is real.
bool GradientImporter::castCotangents(const GradientImport &gradient, Location location,
                                      ReceivedResults &received) {
  OpImporter importer(program, gradient.op, program.builder, location);
  for (auto [cotangent, index] : llvm::zip(received.cotangents, received.cotangentOf)) {
    auto type = dyn_cast<RankedTensorType>(received.yielded[index].getType()),
         actual = dyn_cast<RankedTensorType>(cotangent.getType());
    if (type && actual && isa<ComplexType>(type.getElementType()) &&
        isa<FloatType>(actual.getElementType())) {
      Value real = cotangent;
      cotangent =
          importer.build([&](pd::TensorBuilder &e) { return e.cast(e.wrap(real), type.getElementType()); });
      if (!cotangent)
        return false;
    }
  }
  return true;
}

/// Creates a pd.vjp at the insertion point and adds the gradients to `results` by output slot.
bool GradientImporter::createGradient(GradientImport &gradient, Location location, SlotResults &results) {
  if (!collectForward(gradient) || !findRequests(gradient))
    return false;
  if (gradient.requests.empty())
    return true;
  llvm::SmallVector<Value> inputs;
  for (const GradientImport::Request &request : gradient.requests)
    inputs.push_back(gradient.inputs[request.slot].second[request.position]);
  Region region;
  Block &body = region.emplaceBlock();
  for (Value input : inputs)
    body.addArgument(input.getType(), location);
  SlotResults ofForward;
  if (!importForward(gradient, location, body, ofForward))
    return false;
  ReceivedResults received = receivedResults(gradient, ofForward);
  if (!castCotangents(gradient, location, received))
    return false;
  {
    OpBuilder::InsertionGuard guard(program.builder);
    program.builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(program.builder, location, received.yielded);
  }
  auto vjp = pd::VjpOp::create(program.builder, location, inputs, received.saved, received.cotangents,
                               program.builder.getDenseI64ArrayAttr(received.savedOf),
                               program.builder.getDenseI64ArrayAttr(received.cotangentOf));
  vjp.getBody().takeBody(region);
  pd::usePaddleGradients(vjp);
  if (failed(vjp.verifyRegions())) {
    program.report(program.takeMlirErrors());
    return false;
  }
  for (auto [request, value] : llvm::zip(gradient.requests, vjp.getGradients())) {
    auto &slot = results[request.output];
    slot.resize(std::max(slot.size(), request.outputPosition + 1));
    slot[request.outputPosition] = value;
  }
  return true;
}

void GradientImporter::import(const legacy::Operation &op) {
  GradientImport gradient{op, inputValues(op)};
  SlotResults results;
  bool isImported =
      checkCotangents(op) && createGradient(gradient, program.locationOf(program.currentIndex, op), results);
  if (hasHigherGradients)
    recordProducer(op);
  if (!isImported)
    return;
  for (const legacy::Slot &slot : op.outputs)
    for (auto [position, value] : llvm::enumerate(results[slot.name]))
      if (value)
        program.define(slot.arguments[position], value);
}

} // namespace proa::import
