//! Gradient ops: legacy `X_grad` computes the gradients of the inputs of X. It becomes a pd.vjp whose region holds X,
//! imported once more by its own table entry or hook, so that no gradient op needs an entry of its own.
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/Pd.h"
#include "dialects/pd/autodiff/Autodiff.h"

using namespace mlir;

namespace proa::import {
namespace {

constexpr llvm::StringRef gradientSuffix = "@GRAD";
const std::string emptyVariable = "@EMPTY@";

bool isGradientSlot(llvm::StringRef slot) { return slot.ends_with(gradientSuffix); }

const legacy::Slot *find(const std::vector<legacy::Slot> &slots, llvm::StringRef name) {
  for (const legacy::Slot &slot : slots)
    if (slot.name == name && !slot.arguments.empty())
      return &slot;
  return nullptr;
}

/// Whether the forward op has an input slot of that name; gradient ops are also given its outputs and copies of its caches.
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
  /// The forward op as if it stood here: its inputs by name, its outputs.
  legacy::Operation forward;
  /// The forward op that ran before, if it is found; it has the inputs that the gradient op is not given.
  const Producer *producer = nullptr;
  /// Values of the forward op's input slots.
  std::vector<std::pair<std::string, llvm::SmallVector<Value>>> inputs;
  /// For each gradient wanted: which input, and the variable that gets it.
  struct Wanted {
    size_t slot, place;
    std::string name;
  };
  std::vector<Wanted> wanted;
};

void ProgramImporter::recordProducer(const legacy::Operation &op) {
  producers.push_back({&op, {}});
  for (const legacy::Slot &slot : op.inputs) {
    llvm::SmallVector<Value> values;
    for (const std::string &name : slot.arguments)
      values.push_back(lookup(name));
    producers.back().inputs.emplace_back(slot.name, std::move(values));
  }
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

/// The last op of the forward type that wrote a variable whose value or cotangent the gradient op reads.
const ProgramImporter::Producer *ProgramImporter::findProducer(const legacy::Operation &op, llvm::StringRef forwardType) const {
  const Producer *last = nullptr;
  for (const legacy::Slot &slot : op.inputs)
    for (llvm::StringRef name : slot.arguments) {
      if (isGradientSlot(slot.name))
        name = name.substr(0, name.find(gradientSuffix));
      auto found = producersOf.find(name);
      if (found == producersOf.end())
        continue;
      for (size_t index : llvm::reverse(found->second))
        if (producers[index].op->type == forwardType) {
          // Inputs of the op may be results of an earlier one of the same type: the latest is the one.
          if (!last || &producers[index] > last)
            last = &producers[index];
          break;
        }
    }
  return last;
}

/// Brings together the forward op and the values of its inputs: those that the gradient op is given, else those that the
/// forward op had.
bool ProgramImporter::collectForward(const legacy::Operation &op, const LegacyOp &entry, GradientImport &gradient) {
  size_t before = problems.size();
  gradient.producer = findProducer(op, entry.type);
  gradient.forward.type = entry.type;
  gradient.forward.attributes = op.attributes;
  auto add = [&](const legacy::Slot &slot, llvm::SmallVector<Value> values) {
    gradient.inputs.emplace_back(slot.name, std::move(values));
    gradient.forward.inputs.push_back(slot);
  };
  for (const legacy::Slot &slot : op.inputs) {
    if (slot.arguments.empty() || isGradientSlot(slot.name) ||
        !isInputOf(entry, gradient.producer ? gradient.producer->op : nullptr, slot.name))
      continue;
    llvm::SmallVector<Value> values;
    for (const std::string &name : slot.arguments) {
      Value value = lookup(name);
      if (!value && name != emptyVariable && !poisoned.contains(name))
        report("input '" + llvm::Twine(slot.name) + "': variable '" + name + "' is read before anything defines it");
      else if (!value && name != emptyVariable)
        reportConsequence("input '" + llvm::Twine(slot.name) + "': variable '" + name + "' could not be imported");
      values.push_back(value);
    }
    add(slot, std::move(values));
  }
  if (gradient.producer) {
    for (const legacy::Attribute &attribute : gradient.producer->op->attributes)
      if (!op.attribute(attribute.name))
        gradient.forward.attributes.push_back(attribute);
    gradient.forward.outputs = gradient.producer->op->outputs;
    for (auto [slot, input] : llvm::zip(gradient.producer->op->inputs, gradient.producer->inputs))
      if (!find(gradient.forward.inputs, slot.name))
        add(slot, input.second);
  }
  return problems.size() == before;
}

/// Which gradients the op computes, of which inputs.
bool ProgramImporter::findWanted(const legacy::Operation &op, GradientImport &gradient) {
  size_t before = problems.size();
  for (const legacy::Slot &slot : op.outputs) {
    llvm::StringRef of = slot.name;
    if (slot.arguments.empty() || !of.consume_back(gradientSuffix))
      continue;
    size_t index = 0;
    while (index < gradient.inputs.size() && gradient.inputs[index].first != of)
      ++index;
    // Fused ops also give the gradient of what they keep between their parts; nothing reads it.
    if (index == gradient.inputs.size() && find(gradient.forward.outputs, of.str()))
      continue;
    for (auto [place, name] : llvm::enumerate(slot.arguments)) {
      if (name == emptyVariable)
        continue;
      if (index == gradient.inputs.size() || place >= gradient.inputs[index].second.size() ||
          !gradient.inputs[index].second[place])
        report("output '" + llvm::Twine(slot.name) + "': the op has no input '" + of + "', and no '" + gradient.forward.type +
               "' before it made what it is given");
      else if (pd::isDifferentiable(gradient.inputs[index].second[place].getType()))
        gradient.wanted.push_back({index, place, name});
    }
  }
  return problems.size() == before;
}

/// Imports the forward op into the region's block and ends it with the results; false where that failed.
bool ProgramImporter::importForward(const GradientImport &gradient, const LegacyOp &entry, Location location, Block &body,
                                    std::map<std::string, llvm::SmallVector<Value>> &results) {
  size_t before = problems.size();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  auto inputs = gradient.inputs;
  for (auto [argument, wanted] : llvm::zip(body.getArguments(), gradient.wanted))
    inputs[wanted.slot].second[wanted.place] = argument;
  OpImporter importer(*this, gradient.forward, builder, location);
  importer.entry = &entry;
  importer.capturedOutputs = &results;
  for (auto &[slot, values] : inputs)
    importer.overrideInputs(slot, values);
  if (entry.hook)
    entry.hook(importer);
  else
    importer.importByTable();
  return problems.size() == before;
}

/// All results of the forward op, and what the gradient op is given of them: values and cotangents.
struct ProgramImporter::GivenResults {
  llvm::SmallVector<Value> yielded, saved, cotangents;
  llvm::SmallVector<int64_t> savedOf, cotangentOf;
};

ProgramImporter::GivenResults
ProgramImporter::givenResults(const legacy::Operation &op,
                              const std::map<std::string, llvm::SmallVector<Value>> &results) const {
  GivenResults given;
  for (auto &[slot, values] : results) {
    const legacy::Slot *value = find(op.inputs, slot), *cotangent = find(op.inputs, slot + gradientSuffix.str());
    for (auto [place, result] : llvm::enumerate(values)) {
      auto valueIn = [&](const legacy::Slot *from) {
        return from && place < from->arguments.size() ? lookup(from->arguments[place]) : Value();
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

/// Some gradient ops name the cotangents of a result slot otherwise (`outputs@GRAD` of Out): then the variables tell which
/// results they are.
static legacy::Operation withForwardSlots(const legacy::Operation &op, const std::vector<legacy::Slot> &outputs) {
  legacy::Operation out = op;
  for (legacy::Slot &slot : out.inputs) {
    if (!isGradientSlot(slot.name) || slot.arguments.empty())
      continue;
    llvm::StringRef variable = slot.arguments.front();
    variable = variable.substr(0, variable.find(gradientSuffix));
    std::string base = llvm::StringRef(slot.name).drop_back(gradientSuffix.size()).str();
    if (find(outputs, base))
      continue;
    for (const legacy::Slot &result : outputs)
      if (!result.arguments.empty() && variable == result.arguments.front())
        slot.name = result.name + gradientSuffix.str();
  }
  return out;
}

void ProgramImporter::importGradient(const legacy::Operation &op, const LegacyOp &entry) {
  GradientImport gradient;
  if (!collectForward(op, entry, gradient) || !findWanted(op, gradient) || gradient.wanted.empty())
    return;
  Location location = locationOf(currentIndex, op);
  llvm::SmallVector<Value> inputs;
  for (const GradientImport::Wanted &wanted : gradient.wanted)
    inputs.push_back(gradient.inputs[wanted.slot].second[wanted.place]);
  Region region;
  Block &body = region.emplaceBlock();
  for (Value input : inputs)
    body.addArgument(input.getType(), location);
  std::map<std::string, llvm::SmallVector<Value>> results;
  if (!importForward(gradient, entry, location, body, results))
    return;
  GivenResults given = givenResults(withForwardSlots(op, gradient.forward.outputs), results);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(builder, location, given.yielded);
  }
  auto vjp = pd::VjpOp::create(builder, location, inputs, given.saved, given.cotangents,
                               builder.getDenseI64ArrayAttr(given.savedOf), builder.getDenseI64ArrayAttr(given.cotangentOf));
  vjp.getBody().takeBody(region);
  if (failed(vjp.verifyRegions())) {
    report(takeDiagnostics());
    return;
  }
  for (auto [wanted, value] : llvm::zip(gradient.wanted, vjp.getGradients()))
    define(wanted.name, value);
}

} // namespace proa::import
