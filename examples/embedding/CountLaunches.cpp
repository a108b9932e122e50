// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass of one's own on what Nautilus made: remarks on every host entry how many launches stand in
// it. An ordinary MLIR pass; the dialect comes from Nautilus's headers.

#include "CountLaunches.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "nautilus/Dialect/Host/IR/Host.h"

using namespace mlir;
using namespace mlir::nautilus;

namespace {
struct CountLaunches : PassWrapper<CountLaunches, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountLaunches)

  StringRef getArgument() const override { return "embed-count-launches"; }
  StringRef getDescription() const override { return "count the launches of each host entry"; }

  void runOnOperation() override {
    for (host::EntryOp entry : getOperation().getOps<host::EntryOp>()) {
      int launches = 0;
      entry.walk([&](host::LaunchOp) { ++launches; });
      entry.emitRemark() << entry.getSymName() << " makes " << launches
                         << (launches == 1 ? " launch" : " launches");
    }
  }
};
} // namespace

void embedding::registerCountLaunchesPass() { PassRegistration<CountLaunches>(); }
