/// Compilation of a program for the ranks of a mesh.
#pragma once

#include "lib/base/spmd/Strategy.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/runtime/ranks/Communicator.h"
#include "proa/Mesh.h"

#include <cstdint>
#include <optional>
#include <string>

namespace proa {

/// Parses the axes of MeshOptions: "dp=2,mp=4". Error: another form, an axis twice, too many devices.
Result<spmd::Mesh> parseMesh(const std::string &text);

/// Parses MeshOptions::emulatedLink, which is not empty. Error: another form.
Result<runtime::EmulatedLink> parseLink(const std::string &text);

/// The error of a mesh that has another number of devices than processes run.
Diagnostics wrongMeshSize(int64_t devices, int64_t processes);

/// Turns the program of one process with process groups (MeshOptions::rings) into its local form. Error: a
/// group without axes, shardings that do not fit, or what dist-from-process-groups refuses.
Result<void> convertProcessGroups(mlir::ModuleOp module, const MeshOptions &mesh);

/// Distributes a program over a mesh as compileForMesh() does, without compiling it: brings the module into
/// its sharded form, and returns the text of its interface (MeshInterface.h). Errors: from the passes.
Result<std::string> distributeOverMesh(mlir::ModuleOp module, const CompileOptions &options,
                                       const MeshOptions &mesh);

/// Distributes a program over a mesh and compiles the local programs: of one rank, or of all. The
/// module is the program of a single device, with or without annotations, or in local form (docs/dist.md).
/// Errors: from the passes and from compileProgram; a rank that is not a device of the mesh.
Result<Compilation> compileForMesh(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options,
                                   const MeshOptions &mesh, std::optional<int64_t> rank);

} // namespace proa
