#include "translator/import/legacy/gradient/GradientSlots.h"

#include "translator/import/legacy/LegacyTable.h"

#include "llvm/ADT/StringExtras.h"

namespace proa::import {
namespace {

/// "grad_x@GRAD", "DDX": a slot that is not a gradient, and how many times it is differentiated.
struct Quantity {
  std::string base;
  int order = 0;

  bool operator==(const Quantity &) const = default;
};

Quantity quantityOf(llvm::StringRef slot) {
  Quantity quantity;
  while (slot.consume_back("@GRAD"))
    ++quantity.order;
  slot.consume_front("fwd_");
  slot.consume_back("_forward");
  while (slot.consume_front("grad_"))
    ++quantity.order;
  slot.consume_back("_new"); // the name of tanh and sigmoid for the gradient of their result
  while (slot.consume_back("_grad"))
    ++quantity.order;
  // D_DDOut, DOutNew
  int marks = 0;
  auto isMark = [&] {
    return slot.size() > 1 && slot[0] == 'D' &&
           (llvm::isUpper(slot[1]) || slot[1] == '_' || (marks > 0 && slot.size() == 2));
  };
  for (; isMark(); ++marks) {
    slot = slot.drop_front();
    slot.consume_front("_");
  }
  if (marks > 0 && !slot.consume_back("_New"))
    slot.consume_back("New");
  quantity.order += marks;
  quantity.base = slot.lower();
  if (quantity.base == "output") // Output@GRAD of a convolution is grad_out in its second gradient
    quantity.base = "out";
  return quantity;
}

bool isCotangent(llvm::StringRef slot, int order) {
  return slot.ends_with("@GRAD") || slot.starts_with("D_") || (order == 2 && slot.starts_with("DD"));
}

std::string slotHolding(const std::vector<legacy::Slot> &slots, const Quantity &quantity) {
  for (const legacy::Slot &slot : slots)
    if (!slot.arguments.empty() && quantityOf(slot.name) == quantity)
      return slot.name;
  return "";
}

/// The name of the first slot of the import table that a quantity belongs to.
std::string slotNamed(const std::vector<MappedSlot> &slots, const Quantity &quantity) {
  for (const MappedSlot &slot : slots) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(slot.spelling).split(names, '|');
    for (llvm::StringRef name : names)
      if (quantityOf(name.rtrim('*')).base == quantity.base)
        return name.rtrim('*').str();
  }
  return "";
}

} // namespace

int gradientOrder(llvm::StringRef type) {
  if (type.ends_with("_triple_grad"))
    return 3;
  if (type.ends_with("_double_grad"))
    return 2;
  if (type == "cross_entropy_grad2") // an irregular name
    return 1;
  int order = 0;
  while (type.consume_back("_grad"))
    ++order;
  return order;
}

llvm::SmallVector<std::string> differentiatedTypes(llvm::StringRef type) {
  if (type.consume_back("_triple_grad"))
    return {(type + "_double_grad").str(), (type + "_grad_grad").str()};
  if (type.consume_back("_double_grad"))
    return {(type + "_grad").str()};
  if (type == "cross_entropy_grad2")
    return {"cross_entropy2"};
  type.consume_back("_grad");
  return {type.str()};
}

SlotRole inputRole(llvm::StringRef slot, const legacy::Operation &forward, int order) {
  Quantity quantity = quantityOf(slot);
  if (isCotangent(slot, order)) {
    --quantity.order;
    return {SlotRole::Cotangent, slotHolding(forward.outputs, quantity)};
  }
  if (std::string input = slotHolding(forward.inputs, quantity); !input.empty())
    return {SlotRole::Input, input};
  if (std::string output = slotHolding(forward.outputs, quantity); !output.empty())
    return {SlotRole::Output, output};
  return {};
}

std::optional<legacy::Operation> lostGradientOp(const legacy::Operation &op, const LegacyOp &entry) {
  legacy::Operation lost;
  lost.type = differentiatedTypes(op.type).front();
  lost.attributes = op.attributes;
  for (const legacy::Slot &slot : op.inputs) {
    Quantity quantity = quantityOf(slot.name);
    std::string input = slotNamed(entry.inputs, quantity), output = slotNamed(entry.outputs, quantity);
    if (slot.arguments.empty())
      continue;
    if (isCotangent(slot.name, 2)) {
      if (quantity.order != 2 || input.empty())
        return std::nullopt;
      lost.outputs.push_back({input + "@GRAD", slot.arguments});
    } else if (quantity.order == 0 && !(input.empty() && output.empty())) {
      lost.inputs.push_back({input.empty() ? output : input, slot.arguments});
    } else if (quantity.order == 1 && !output.empty()) {
      lost.inputs.push_back({output + "@GRAD", slot.arguments});
    }
  }
  return lost.outputs.empty() ? std::nullopt : std::optional(lost);
}

std::string gradientOf(llvm::StringRef slot, const legacy::Operation &forward) {
  Quantity quantity = quantityOf(slot);
  --quantity.order;
  return slotHolding(forward.inputs, quantity);
}

} // namespace proa::import
