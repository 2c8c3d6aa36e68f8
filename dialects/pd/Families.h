/// Registration of each family's ops. A new family adds a line here, one in PdDialect::initialize and a folder.
#pragma once

namespace proa::pd {

class PdDialect;

void registerMathOps(PdDialect &dialect);
void registerReduceOps(PdDialect &dialect);
void registerCreationOps(PdDialect &dialect);
void registerShapeOps(PdDialect &dialect);

} // namespace proa::pd
