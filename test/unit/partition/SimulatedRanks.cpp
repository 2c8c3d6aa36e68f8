#include "test/unit/partition/SimulatedRanks.h"

#include "dialects/dist/Placements.h"
#include "lib/base/spmd/Exchange.h"
#include "lib/compiler/numerics/Interpreter.h"

#include <barrier>
#include <map>
#include <thread>

using namespace mlir;

namespace proa::test {
namespace {

/// The exchange of local tensors: all positions give one, then each reads the tensors of all.
class Exchange {
public:
  explicit Exchange(int64_t size) : locals(size), ops(size), barrier(size) {}

  /// The local tensors of all positions. A position that has ended gives none.
  std::pair<Locals, std::string> all(int64_t position, Tensor local, std::string op) {
    locals[position] = std::move(local);
    ops[position] = std::move(op);
    barrier.arrive_and_wait();
    std::pair result(locals, std::string());
    for (const std::string &other : ops)
      if (other != ops[position])
        result.second = "other positions are at " + (other.empty() ? "the end" : other);
    barrier.arrive_and_wait();
    return result;
  }

  /// No exchange follows.
  void leave(int64_t position) {
    locals[position] = Tensor();
    ops[position].clear();
    barrier.arrive_and_drop();
  }

private:
  Locals locals;
  std::vector<std::string> ops;
  std::barrier<> barrier;
};

/// One position.
class Rank {
public:
  Rank(const spmd::Mesh &mesh, Exchange &exchange, int64_t position)
      : mesh(mesh), exchange(exchange), position(position) {}

  std::string evaluate(Operation &op, pd::HostValues &values) {
    if (isa<dist::WaitOp>(op)) {
      values.copy(op.getOperand(0), op.getResult(0));
      return {};
    }
    if (auto broadcast = dyn_cast<dist::BroadcastOp>(op))
      return evaluateBroadcast(broadcast, values);
    if (auto send = dyn_cast<dist::SendOp>(op))
      return evaluateSend(send, values);
    if (auto recv = dyn_cast<dist::RecvOp>(op))
      return evaluateRecv(recv, values);
    auto step = dyn_cast<dist::StepOpInterface>(op);
    if (!step)
      return "no evaluation of " + op.getName().getStringRef().str();
    std::string text = op.getName().getStringRef().str();
    llvm::raw_string_ostream(text) << " of " << step.getGlobal() << " from " << step.getFrom() << " to "
                                   << step.getTo();
    // A started collective meets only started ones.
    if (isa<dist::FutureType>(op.getResult(0).getType()))
      text += " (started)";
    auto [locals, reason] = exchange.all(position, values.tensors.at(step.getX()), text);
    if (!reason.empty())
      return text + ": " + reason;
    // A dynamic dim is not split: it is the local tensor's.
    std::vector<int64_t> dims = step.getGlobal().getShape().vec();
    for (size_t d = 0; d < dims.size(); ++d)
      if (ShapedType::isDynamic(dims[d]))
        dims[d] = locals[position].dims()[d];
    auto result = moved(mesh, dist::placementOf(step.getFrom(), mesh), dist::placementOf(step.getTo(), mesh),
                        dims, locals, position);
    if (!result)
      return text + ": " + result.diagnostics().text();
    values.tensors[op.getResult(0)] = *result;
    return {};
  }

private:
  /// The tensor of the position with the coordinates of the root on the axes of the group, which are full,
  /// and the same coordinates on the others.
  std::string evaluateBroadcast(dist::BroadcastOp op, pd::HostValues &values) {
    auto [locals, reason] = exchange.all(position, values.tensors.at(op.getX()), "dist.broadcast");
    if (!reason.empty())
      return "dist.broadcast: " + reason;
    std::vector<std::optional<int64_t>> root(mesh.axes.size());
    for (auto [axis, coordinate] : llvm::zip(op.getGroup().getAxes(), op.getRoot()))
      root[*mesh.indexOf(std::string_view(axis.getName()))] = coordinate;
    for (int64_t other = 0; other < mesh.size(); ++other) {
      bool isRoot = true;
      for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
        isRoot &= mesh.coordinate(mesh.full(axis), other) ==
                  root[axis].value_or(mesh.coordinate(mesh.full(axis), position));
      if (isRoot)
        values.tensors[op.getResult()] = locals[other];
    }
    return {};
  }

  /// All positions send before one receives.
  std::string evaluateSend(dist::SendOp op, pd::HostValues &values) {
    std::string text = "dist.send of channel " + std::to_string(op.getChannel());
    auto [locals, reason] = exchange.all(position, values.tensors.at(op.getX()), text);
    sent[op.getChannel()] = locals;
    return reason.empty() ? "" : text + ": " + reason;
  }

  /// The shard of the position that the device has in the mesh of the receivers.
  std::string evaluateRecv(dist::RecvOp op, pd::HostValues &values) {
    auto found = sent.find(op.getChannel());
    if (found == sent.end())
      return "dist.recv before dist.send of channel " + std::to_string(op.getChannel());
    spmd::Mesh source = dist::lookupMesh(op, op.getFrom().getMesh()).toMesh(),
               target = dist::lookupMesh(op, op.getTo().getMesh()).toMesh();
    std::vector<int64_t> dims = op.getGlobal().getShape().vec();
    spmd::Placement whole{std::vector<spmd::DimPlacement>(dims.size())};
    auto value = moved(source, dist::placementOf(op.getFrom(), source), whole, dims, found->second, 0);
    if (!value)
      return value.diagnostics().text();
    std::optional<int64_t> own = spmd::positionOf(target, mesh.deviceAt(position));
    values.tensors[op.getResult()] = shardAt(target, dist::placementOf(op.getTo(), target), *value, *own);
    return {};
  }

  const spmd::Mesh &mesh;
  Exchange &exchange;
  int64_t position;
  std::map<int64_t, Locals> sent; ///< by channel
};

Result<std::vector<Tensor>> run(func::FuncOp function, const std::vector<Tensor> &arguments,
                                std::function<std::string(Operation &, pd::HostValues &)> evaluateOther) {
  numerics::Interpreter interpreter;
  interpreter.evaluateOther = std::move(evaluateOther);
  for (auto [argument, tensor] : llvm::zip_equal(function.getArguments(), arguments))
    interpreter.define(argument, tensor);
  if (std::string reason = interpreter.evaluateBlock(function.getBody().front()); !reason.empty())
    return errorAt("@" + function.getName().str(), reason);
  std::vector<Tensor> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(interpreter.valueOf(value));
  return results;
}

} // namespace

Result<std::vector<Locals>> runOnRanks(const spmd::Mesh &mesh, const std::vector<func::FuncOp> &programs,
                                       const std::vector<std::vector<Tensor>> &arguments) {
  Exchange exchange(mesh.size());
  std::vector<Diagnostics> diagnostics(mesh.size());
  std::vector<std::vector<Tensor>> results(mesh.size());
  std::vector<std::thread> threads;
  for (int64_t position = 0; position < mesh.size(); ++position)
    threads.emplace_back([&, position] {
      Rank rank(mesh, exchange, position);
      auto ran = run(programs[position], arguments[position],
                     [&](Operation &op, pd::HostValues &values) { return rank.evaluate(op, values); });
      exchange.leave(position);
      if (ran)
        results[position] = *ran;
      else
        diagnostics[position] = ran.diagnostics();
    });
  for (std::thread &thread : threads)
    thread.join();
  std::vector<Locals> byResult(results[0].size());
  for (int64_t position = 0; position < mesh.size(); ++position) {
    if (!diagnostics[position].empty())
      return errorAt("position " + std::to_string(position), diagnostics[position].text());
    for (size_t i = 0; i < byResult.size(); ++i)
      byResult[i].push_back(results[position][i]);
  }
  return byResult;
}

Result<std::vector<Tensor>> runGlobal(func::FuncOp function, const std::vector<Tensor> &arguments) {
  return run(function, arguments, [](Operation &op, pd::HostValues &values) -> std::string {
    if (!isa<dist::ReshardOp, dist::ConstrainOp>(op))
      return "no evaluation of " + op.getName().getStringRef().str();
    values.copy(op.getOperand(0), op.getResult(0));
    return {};
  });
}

} // namespace proa::test
