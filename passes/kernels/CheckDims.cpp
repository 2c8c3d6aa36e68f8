// Dims that a kernel takes to be equal: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/DimensionClasses.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/Passes.h"
#include "passes/remarks/Remarks.h"

#include "llvm/ADT/MapVector.h"

namespace proa {
#define GEN_PASS_DEF_CHECKDIMS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Dims of a kernel that have one size.
struct EqualDims {
  struct Dim {
    int64_t argument, axis;
  };
  SmallVector<Dim> dynamicDims;        ///< of arguments
  int64_t size = ShapedType::kDynamic; ///< of a value whose type has it, if any
};

/// The classes of equal dims in the order of the arguments.
llvm::MapVector<unsigned, EqualDims> equalDimsOf(func::FuncOp kernel) {
  proa::DimensionClasses classes(kernel, proa::DimensionClasses::Kind::Sizes);
  llvm::MapVector<unsigned, EqualDims> result;
  auto add = [&](Value value, std::optional<int64_t> argument) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    for (auto [axis, ofDim] : llvm::enumerate(classes.of(value))) {
      EqualDims &dims = result[ofDim];
      if (!type.isDynamicDim(axis))
        dims.size = type.getDimSize(axis);
      else if (argument)
        dims.dynamicDims.push_back({*argument, static_cast<int64_t>(axis)});
    }
  };
  for (BlockArgument argument : kernel.getArguments())
    add(argument, argument.getArgNumber());
  for (Operation &op : kernel.getBody().front())
    for (Value value : op.getResults())
      add(value, std::nullopt);
  return result;
}

struct CheckDims : proa::impl::CheckDimsBase<CheckDims> {
  using CheckDimsBase::CheckDimsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(proa::kernelAttribute) || function.isDeclaration())
      return;
    if (failed(proa::verifyTensorKernel(function)))
      return signalPassFailure();
    Builder builder(&getContext());
    SmallVector<Attribute> checks;
    for (const auto &[index, dims] : equalDimsOf(function)) {
      bool isStatic = !ShapedType::isDynamic(dims.size);
      ArrayRef<EqualDims::Dim> others = dims.dynamicDims;
      if (!isStatic && !others.empty())
        others = others.drop_front(); // the one that the others are compared with
      for (EqualDims::Dim dim : others)
        if (isStatic)
          checks.push_back(proa::DimCheckAttr::get(&getContext(), dim.argument, dim.axis, {}, {}, dims.size,
                                                   /*mayBeOne=*/false));
        else
          checks.push_back(proa::DimCheckAttr::get(&getContext(), dim.argument, dim.axis,
                                                   dims.dynamicDims.front().argument,
                                                   dims.dynamicDims.front().axis, {}, /*mayBeOne=*/false));
    }
    if (checks.empty())
      return;
    function->setAttr(proa::dimChecksAttribute, builder.getArrayAttr(checks));
    proa::PassRemarks(getArgumentName()).analysis(function)
        << std::to_string(checks.size()) << " dims are compared before each call";
  }
};

} // namespace
