//! rt.wgmma: verifier, and its text in PTX.
#include "dialects/rt/Wgmma.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/rt/Wgmma.cpp.inc"

namespace proa::rt {

LogicalResult WgmmaOp::verify() {
  if (getX().size() != 4)
    return emitOpError() << "C1: x has " << getX().size() << " registers, expected 4";
  ArrayRef<Type> sums = getSumsType().getBody();
  bool areFloats = llvm::all_of(sums, [](Type type) { return type.isF32(); });
  if (!areFloats || sums.size() < 4 || sums.size() > 128 || sums.size() % 4 != 0)
    return emitOpError() << "C2: sums are " << getSumsType()
                         << ", expected 4 to 128 values of f32, a multiple of 4";
  if (!getElement().isF16() && !getElement().isBF16())
    return emitOpError() << "C3: element is " << getElement() << ", expected f16 or bf16";
  return success();
}

/// `count` operands of the assembly from number `first` on, "$4, $5".
static std::string operandTexts(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = first; i < first + count; ++i)
    text += (i > first ? ", $" : "$") + std::to_string(i);
  return text;
}

std::string WgmmaOp::getPtx() {
  int64_t sums = getColumns() / 2, registers = static_cast<int64_t>(getX().size());
  std::string type(ptxName(getMatrixElement()));
  return "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n" +
         std::to_string(getColumns()) + "k16.f32." + type + "." + type + " {" + operandTexts(0, sums) +
         "}, {" + operandTexts(sums, registers) + "}, " + operandTexts(sums + registers, 1) + ", p, 1, 1, " +
         (getTransposesY() ? "1" : "0") + ";\n}";
}

/// The sums are tied to the registers of the result.
bool WgmmaOp::getAsmValues(RewriterBase &, SmallVectorImpl<std::pair<Value, NVVM::PTXRegisterMod>> &values) {
  values.emplace_back(getOut(), NVVM::PTXRegisterMod::Write);
  for (Value registers : getX())
    values.emplace_back(registers, NVVM::PTXRegisterMod::Read);
  values.emplace_back(getY(), NVVM::PTXRegisterMod::Read);
  values.emplace_back(getSums(), NVVM::PTXRegisterMod::ReadWrite);
  return true;
}

} // namespace proa::rt
