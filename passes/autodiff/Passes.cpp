//! pd-grad, pd-vjp, pd-jvp, pd-vmap, pd-hessian: derivatives of a function as new functions of the module.
#include "passes/autodiff/Passes.h"

#include "dialects/pd/Pd.h"
#include "passes/autodiff/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_GRAD
#define GEN_PASS_DEF_VJP
#define GEN_PASS_DEF_JVP
#define GEN_PASS_DEF_VMAP
#define GEN_PASS_DEF_HESSIAN
#include "passes/autodiff/Passes.h.inc"

namespace {

/// The function of that name, or the only one.
FailureOr<func::FuncOp> findFunction(ModuleOp module, const std::string &name) {
  if (!name.empty()) {
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function;
    return module.emitError() << "the module has no function '" << name << "'";
  }
  auto functions = module.getOps<func::FuncOp>();
  auto count = std::distance(functions.begin(), functions.end());
  if (count == 1)
    return *functions.begin();
  return module.emitError() << "the module has " << count
                            << " functions: the option 'function' must name one";
}

/// Applies `transform` (function, new name) to the function that the options name.
template <class Transform>
LogicalResult apply(ModuleOp module, const std::string &function, const std::string &name, const char *suffix,
                    Transform transform) {
  auto found = findFunction(module, function);
  if (failed(found))
    return failure();
  return transform(*found, name.empty() ? found->getName().str() + suffix : name);
}

class GradPass : public impl::GradBase<GradPass> {
public:
  using GradBase::GradBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::grad(f, newName, ArrayRef<int64_t>(arguments), result, value);
    };
    if (failed(apply(getOperation(), function, name, "_grad", transform)))
      signalPassFailure();
  }
};

class VjpPass : public impl::VjpBase<VjpPass> {
public:
  using VjpBase::VjpBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::vjp(f, newName, ArrayRef<int64_t>(arguments));
    };
    if (failed(apply(getOperation(), function, name, "_vjp", transform)))
      signalPassFailure();
  }
};

class JvpPass : public impl::JvpBase<JvpPass> {
public:
  using JvpBase::JvpBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::jvp(f, newName, ArrayRef<int64_t>(arguments));
    };
    if (failed(apply(getOperation(), function, name, "_jvp", transform)))
      signalPassFailure();
  }
};

class VmapPass : public impl::VmapBase<VmapPass> {
public:
  using VmapBase::VmapBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) -> FailureOr<func::FuncOp> {
      if (size == 0 || size < -1)
        return f.emitError() << "the number of examples must be above 0, or -1 where it is not known, found "
                             << size;
      return autodiff::vmap(f, newName, size == -1 ? ShapedType::kDynamic : size, ArrayRef<int64_t>(mapped));
    };
    if (failed(apply(getOperation(), function, name, "_vmap", transform)))
      signalPassFailure();
  }
};

class HessianPass : public impl::HessianBase<HessianPass> {
public:
  using HessianBase::HessianBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::hessian(f, newName, argument, result);
    };
    if (failed(apply(getOperation(), function, name, "_hessian", transform)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
