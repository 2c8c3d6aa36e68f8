//! Gradient ops: legacy `X_grad` computes the gradients of the inputs of X. It becomes a pd.vjp whose region
//! holds X, imported again by its own table entry or hook, so that no gradient op needs an entry of its
//! own. The gradient of a gradient op, `X_grad_grad`, is the same around X_grad.
#include "translator/import/GradientSlots.h"
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/PaddleGradient.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

using namespace mlir;

namespace proa::import {
namespace {

constexpr llvm::StringRef gradientSuffix = "@GRAD";
bool isGradientSlot(llvm::StringRef slot) { return slot.ends_with(gradientSuffix); }

/// Whether the forward op has an input slot of that name; gradient ops are also given its outputs and copies
/// of its caches.
bool isInputOf(const LegacyOp &entry, const legacy::Operation *producer, llvm::StringRef slot) {
  if (producer)
    return producer->input(std::string_view(slot.data(), slot.size())) != nullptr;
  return llvm::any_of(entry.inputs, [&](const LegacySlot &input) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(input.spelling).split(names, '|');
    return llvm::any_of(names, [&](llvm::StringRef name) { return name.rtrim('*') == slot; });
  });
}

} // namespace

/// What the import of one gradient op collects.
struct ProgramImporter::GradientImport {
  const legacy::Operation &op;
  SlotValues given;
  /// Where the op stands, if that is not at the end of what was imported.
  const Producer *self = nullptr;
  /// Inside of a gradient of a higher order: the inputs that it wants gradients of. A value that the op is
  /// given is independent of others only if it is one of them.
  std::optional<llvm::StringSet<>> independent = std::nullopt;

  int order = gradientOrder(op.type);
  const LegacyOp &entry = *findForwardOp(op);
  /// The forward op as if it stood here: its inputs by name, its outputs.
  legacy::Operation forward = {};
  /// The forward op that ran before, if it is found; it has the inputs that the gradient op is not given.
  const Producer *producer = nullptr;
  /// Values of the forward op's input slots.
  SlotValues inputs = {};
  /// For each gradient wanted: which input, and the output that gets it.
  struct Wanted {
    size_t slot, place;
    std::string output;
    size_t outputPlace;
  };
  std::vector<Wanted> wanted = {};
};

ProgramImporter::SlotValues ProgramImporter::inputValues(const legacy::Operation &op) const {
  SlotValues slots;
  for (const legacy::Slot &slot : op.inputs) {
    llvm::SmallVector<Value> values;
    for (const std::string &name : slot.arguments)
      values.push_back(lookup(name));
    slots.emplace_back(slot.name, std::move(values));
  }
  return slots;
}

void ProgramImporter::recordProducer(const legacy::Operation &op) {
  producers.push_back({&op, inputValues(op)});
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      producersOf[name].push_back(producers.size() - 1);
}

void ProgramImporter::forgetProducers(size_t count) {
  if (producers.size() == count)
    return;
  producers.resize(count);
  for (auto &entry : producersOf)
    llvm::erase_if(entry.second, [&](size_t index) { return index >= count; });
}

/// The last op of a forward type that wrote a variable whose value or cotangent the gradient op reads.
const ProgramImporter::Producer *ProgramImporter::findProducer(const legacy::Operation &op,
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
bool ProgramImporter::checkCotangents(const legacy::Operation &op) {
  size_t before = problems.size();
  for (const legacy::Slot &slot : op.inputs)
    for (const std::string &name : slot.arguments) {
      if (!isGradientSlot(slot.name) || name == legacy::emptyVariable || lookup(name) ||
          poisoned.contains(name))
        continue;
      const legacy::Variable *variable = variables.find(currentBlock, name);
      if (variable && variable->kind == legacy::VariableKind::DenseTensorArray)
        continue;
      report("input '" + slot.name + "': variable '" + name + "' is read before anything defines it");
    }
  return problems.size() == before;
}

/// Brings together the forward op and the values of its inputs: those that the gradient op is given, else
/// those that the forward op had.
bool ProgramImporter::collectForward(GradientImport &gradient) {
  const legacy::Operation &op = gradient.op;
  size_t before = problems.size();
  llvm::SmallVector<std::string> types = differentiatedTypes(op.type);
  gradient.producer = findProducer(op, types, gradient.self);
  gradient.forward.type = types.front();
  gradient.forward.attributes = op.attributes;
  if (gradient.order > 1) {
    auto lost = gradient.producer || gradient.order > 2 ? std::nullopt : lostGradientOp(op, gradient.entry);
    if (!gradient.producer && !lost) {
      report("no '" + gradient.forward.type + "' before it made what it is given");
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
  for (auto &[slot, values] : gradient.given) {
    std::string input = inputOf(slot);
    if (input.empty() || values.empty())
      continue;
    for (auto [name, value] : llvm::zip(op.input(slot)->arguments, values))
      if (!value && name != legacy::emptyVariable && !poisoned.contains(name))
        report("input '" + slot + "': variable '" + name + "' is read before anything defines it");
      else if (!value && name != legacy::emptyVariable)
        reportConsequence("input '" + slot + "': variable '" + name + "' could not be imported");
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
  return problems.size() == before;
}

/// Which gradients the op computes, of which inputs.
bool ProgramImporter::findWanted(GradientImport &gradient) {
  size_t before = problems.size();
  bool isOnIntegers = llvm::any_of(gradient.given, [](const auto &slot) {
    return isGradientSlot(slot.first) && llvm::any_of(slot.second, [](Value value) {
             return value && pd::isIntegerTensor(value.getType());
           });
  });
  bool isOfPoisoned = llvm::any_of(gradient.op.inputs, [&](const legacy::Slot &slot) {
    return llvm::any_of(slot.arguments, [&](const std::string &name) { return poisoned.contains(name); });
  });
  for (const legacy::Slot &slot : gradient.op.outputs) {
    llvm::StringRef first = slot.name;
    if (slot.arguments.empty() || (gradient.order == 1 && !first.consume_back(gradientSuffix)))
      continue;
    std::string of = gradient.order == 1 ? first.str() : gradientOf(slot.name, gradient.forward);
    size_t index = 0;
    while (index < gradient.inputs.size() && gradient.inputs[index].first != of)
      ++index;
    // Fused ops also give the gradient of what they keep between their parts; nothing reads it.
    if (index == gradient.inputs.size() && gradient.forward.output(of))
      continue;
    for (auto [place, name] : llvm::enumerate(slot.arguments)) {
      if (name == legacy::emptyVariable)
        continue;
      if (index == gradient.inputs.size() || place >= gradient.inputs[index].second.size() ||
          !gradient.inputs[index].second[place])
        isOfPoisoned ? reportConsequence("input of the gradient of '" + name + "' could not be imported")
                     : report("output '" + llvm::Twine(slot.name) + "': the op has no input '" + of +
                              "', and no '" + gradient.forward.type + "' before it made what it is given");
      else if (Type type = gradient.inputs[index].second[place].getType();
               pd::hasTangent(type) || (isOnIntegers && pd::isIntegerTensor(type)))
        gradient.wanted.push_back({index, place, slot.name, place});
    }
  }
  return problems.size() == before;
}

/// Imports the forward op into the region's block and ends it with the results; false where that failed.
bool ProgramImporter::importForward(const GradientImport &gradient, Location location, Block &body,
                                    Results &results) {
  size_t before = problems.size();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  SlotValues inputs = gradient.inputs;
  for (auto [argument, wanted] : llvm::zip(body.getArguments(), gradient.wanted))
    inputs[wanted.slot].second[wanted.place] = argument;
  if (gradient.order > 1) {
    GradientImport inner{gradient.forward, std::move(inputs), gradient.producer, llvm::StringSet<>()};
    for (const GradientImport::Wanted &wanted : gradient.wanted)
      inner.independent->insert(gradient.inputs[wanted.slot].first);
    return makeGradient(inner, location, results);
  }
  OpImporter importer(*this, gradient.forward, builder, location);
  importer.entry = &gradient.entry;
  importer.takesArrays = gradient.entry.takesArrays;
  importer.capturedOutputs = &results;
  for (auto &[slot, values] : inputs)
    importer.overrideInputs(slot, values);
  importWithFusedParts(importer);
  return problems.size() == before;
}

/// All results of the forward op, and what the gradient op is given of them: values and cotangents.
struct ProgramImporter::GivenResults {
  llvm::SmallVector<Value> yielded, saved, cotangents;
  llvm::SmallVector<int64_t> savedOf, cotangentOf;
};

/// Some gradient ops name the cotangents of a result slot otherwise (`outputs@GRAD` of Out): then the
/// variables tell which results they are.
static std::string cotangentSlot(const legacy::Operation &op, const std::vector<legacy::Slot> &outputs,
                                 const std::string &slot) {
  const legacy::Slot *given = op.input(slot);
  if (!isGradientSlot(slot) || !given || given->arguments.empty())
    return slot;
  std::string base = llvm::StringRef(slot).drop_back(gradientSuffix.size()).str();
  llvm::StringRef variable = given->arguments.front();
  variable = variable.substr(0, variable.find(gradientSuffix));
  if (llvm::any_of(outputs, [&](const legacy::Slot &result) { return result.name == base; }))
    return slot;
  for (const legacy::Slot &result : outputs)
    if (!result.arguments.empty() && variable == result.arguments.front())
      return result.name + gradientSuffix.str();
  return slot;
}

ProgramImporter::GivenResults ProgramImporter::givenResults(const GradientImport &gradient,
                                                            const Results &results) const {
  GivenResults given;
  auto find = [&](SlotRole::Kind kind, const std::string &of) -> const llvm::SmallVector<Value> * {
    for (auto &[slot, values] : gradient.given) {
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
    for (auto [place, result] : llvm::enumerate(values)) {
      auto valueIn = [place = place](const llvm::SmallVector<Value> *from) {
        return from && place < from->size() ? (*from)[place] : Value();
      };
      if (!result)
        continue;
      int64_t number = static_cast<int64_t>(given.yielded.size());
      given.yielded.push_back(result);
      if (Value known = valueIn(value); known && pd::compatibleTypes(known.getType(), result.getType())) {
        given.saved.push_back(known);
        given.savedOf.push_back(number);
      }
      if (Value known = valueIn(cotangent)) {
        given.cotangents.push_back(known);
        given.cotangentOf.push_back(number);
      }
    }
  }
  return given;
}

/// Makes a pd.vjp at the insertion point; the gradients go to `results` by output slot.
bool ProgramImporter::makeGradient(GradientImport &gradient, Location location, Results &results) {
  if (!collectForward(gradient) || !findWanted(gradient))
    return false;
  if (gradient.wanted.empty())
    return true;
  llvm::SmallVector<Value> inputs;
  for (const GradientImport::Wanted &wanted : gradient.wanted)
    inputs.push_back(gradient.inputs[wanted.slot].second[wanted.place]);
  Region region;
  Block &body = region.emplaceBlock();
  for (Value input : inputs)
    body.addArgument(input.getType(), location);
  Results ofForward;
  if (!importForward(gradient, location, body, ofForward))
    return false;
  GivenResults given = givenResults(gradient, ofForward);
  // Programs declare what comes of a real and a complex operand as real, and give it real cotangents.
  OpImporter importer(*this, gradient.op, builder, location);
  for (auto [value, number] : llvm::zip(given.cotangents, given.cotangentOf)) {
    auto type = dyn_cast<RankedTensorType>(given.yielded[number].getType()),
         found = dyn_cast<RankedTensorType>(value.getType());
    if (type && found && isa<ComplexType>(type.getElementType()) && isa<FloatType>(found.getElementType()))
      value = importer.createOne("pd.cast", {{value}},
                                 {importer.named("dtype", TypeAttr::get(type.getElementType()))});
    if (!value)
      return false;
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(builder, location, given.yielded);
  }
  auto vjp = pd::VjpOp::create(builder, location, inputs, given.saved, given.cotangents,
                               builder.getDenseI64ArrayAttr(given.savedOf),
                               builder.getDenseI64ArrayAttr(given.cotangentOf));
  vjp.getBody().takeBody(region);
  pd::usePaddleGradients(vjp);
  if (failed(vjp.verifyRegions())) {
    report(takeDiagnostics());
    return false;
  }
  for (auto [wanted, value] : llvm::zip(gradient.wanted, vjp.getGradients())) {
    auto &slot = results[wanted.output];
    slot.resize(std::max(slot.size(), wanted.outputPlace + 1));
    slot[wanted.outputPlace] = value;
  }
  return true;
}

void ProgramImporter::importGradient(const legacy::Operation &op) {
  GradientImport gradient{op, inputValues(op)};
  Results results;
  bool made = checkCotangents(op) && makeGradient(gradient, locationOf(currentIndex, op), results);
  if (hasHigherGradients)
    recordProducer(op);
  if (!made)
    return;
  for (const legacy::Slot &slot : op.outputs)
    for (auto [place, value] : llvm::enumerate(results[slot.name]))
      if (value)
        define(slot.arguments[place], value);
}

} // namespace proa::import
