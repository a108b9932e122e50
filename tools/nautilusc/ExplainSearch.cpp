// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the search that the auto-schedule pass runs, with a recorder; see the header. A kernel that
// has a script is searched too: the report then says what the compiler would have chosen.

#include "ExplainSearch.h"

#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Schedule/Explain.h"
#include "nautilus/Schedule/ReadState.h"

using namespace mlir;
using namespace mlir::nautilus;

LogicalResult mlir::nautilus::reportSearch(raw_ostream &os, ModuleOp module, StringRef arch,
                                           SearchReport report) {
  const ::nautilus::machine::Machine *machine = ::nautilus::machine::lookup(arch);
  if (!machine)
    return module.emitError("expected an architecture of ")
           << ::nautilus::machine::listNames() << ", got '" << arch << "'";
  for (auto kernel : module.getOps<scalar::KernelOp>()) {
    FailureOr<schedule::State> start = schedule::readState(kernel);
    if (failed(start))
      return failure();
    schedule::SearchRecorder recorder;
    std::vector<schedule::Seed> seeds =
        schedule::searchSchedules(*start, *machine, scalar::getSearchOptions(kernel), &recorder);
    switch (report) {
    case SearchReport::Derivation:
      schedule::printDerivation(os, *start, seeds, recorder, *machine);
      break;
    case SearchReport::Trace:
      schedule::printTrace(os, *start, seeds, recorder);
      break;
    case SearchReport::Graph:
      schedule::printGraph(os, seeds.front().state);
      break;
    case SearchReport::Seeds:
      schedule::printSeeds(os, seeds);
      break;
    }
  }
  return success();
}
