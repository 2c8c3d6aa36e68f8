/// The values of a session's parameters and state variables.
#pragma once

#include "lib/compiler/api/OffloadedValues.h"
#include "lib/compiler/mesh/SessionMesh.h"
#include "lib/runtime/run/Executable.h"
#include "translator/legacy/SharedStorage.h"

#include "proa/Model.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace proa {

/// Each value is in one place: in memory, on a device, distributed over a mesh, or in a store.
class SessionValues {
public:
  /// On a mesh only the values that are not distributed yet.
  std::map<std::string, Tensor> inMemory;

  /// `path` begins messages. `mesh` is null without one; `shared` and `mesh` outlive this.
  void begin(const std::string &path, const std::vector<legacy::SharedStorage> &shared, SessionMesh *mesh);

  /// Keeps states in the store of `options`.
  Result<void> beginOffload(const OffloadOptions &options);
  bool isOffloaded() const { return offloaded != nullptr; }
  /// See OffloadedValues::queueOf.
  std::shared_ptr<runtime::OffloadQueue> queueOf(int64_t rank) const { return offloaded->queueOf(rank); }
  /// Moves the variables in `stored`, which the program of `plan` fetches itself, to the store, and those
  /// that it is fed back to memory. `onMesh` is null without a mesh. Needs isOffloaded().
  Result<void> moveStates(const runtime::Plan &plan, const std::set<std::string> &stored,
                          MeshProgram *onMesh);

  /// Gives the only session of a program the store, or lets states stay on its device: not if they are
  /// distributed or stored, or parameters share memory.
  void connect(runtime::Session &session) const;
  /// Before a run: moves the states to where the session of `plan` reads them, moveStates() included.
  Result<void> beginRun(const runtime::Plan &plan, const std::set<std::string> &stored, MeshProgram *onMesh,
                        runtime::Session &session);
  /// Adds the states in memory that the plan is fed to the feeds of a run.
  void addStates(const std::set<std::string> &states, const runtime::Plan &plan,
                 runtime::NamedTensors &feeds) const;
  /// A run of the session left the new value of a state on its device.
  void leaveOnDevice(const std::string &name, runtime::Session &session);
  /// Moves all states that are on a device to memory.
  Result<void> leaveDevice();
  /// The type of a state that is on a device; null for other names.
  const runtime::Value *onDevice(const std::string &name) const;

  /// Moves values on a device, in a store, or in memory that several share, to memory; on a mesh, others stay
  /// distributed. On a mesh all processes must call it.
  Result<void> moveToMemory();
  SessionMesh *onMesh() const { return mesh; }
  /// No parameters share memory, so that each can be replaced by itself.
  bool areIndependent() const { return shared->empty(); }

  /// Sets a value, and those that share its memory.
  Result<void> set(const std::string &name, Tensor value);
  /// A value as a whole. On a mesh all processes must call it.
  Result<Tensor> get(const std::string &name);
  /// All values, each whole, with buffers that agree with their members. On a mesh all processes must call
  /// it.
  Result<const std::map<std::string, Tensor> *> whole();

private:
  /// The value of a variable in the store, whole.
  Result<Tensor> storedValue(const std::string &name) const;
  /// Reads a variable of the store to memory; it stays in the store.
  Result<void> read(const std::string &name);
  Result<void> store(const std::string &name, MeshProgram *onMesh);

  std::string path;
  const std::vector<legacy::SharedStorage> *shared = nullptr;
  SessionMesh *mesh = nullptr;
  std::unique_ptr<OffloadedValues> offloaded; ///< null unless states are offloaded
  runtime::Session *holder = nullptr;         ///< whose device has `resident`
  std::set<std::string> resident;
};

} // namespace proa
