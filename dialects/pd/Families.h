/// Registration of each family's ops. A new family adds a line here, one in PdDialect::initialize and a
/// folder.
#pragma once

namespace proa::pd {

class PdDialect;

void registerMathOps(PdDialect &dialect);
void registerReduceOps(PdDialect &dialect);
void registerCreationOps(PdDialect &dialect);
void registerShapeOps(PdDialect &dialect);
void registerLinalgOps(PdDialect &dialect);
void registerNnOps(PdDialect &dialect);
void registerLossOps(PdDialect &dialect);
void registerDetectionOps(PdDialect &dialect);
void registerIndexOps(PdDialect &dialect);
void registerSearchOps(PdDialect &dialect);
void registerSignalOps(PdDialect &dialect);
void registerAutodiffOps(PdDialect &dialect);
void registerGraphOps(PdDialect &dialect);
void registerSequenceOps(PdDialect &dialect);
void registerOptimizerOps(PdDialect &dialect);
void registerRandomOps(PdDialect &dialect);
void registerQuantizationOps(PdDialect &dialect);
void registerDistributedOps(PdDialect &dialect);

} // namespace proa::pd
