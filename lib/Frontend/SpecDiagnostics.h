// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the front end reports: places in the spec as MLIR locations, an error with its notes as one
// diagnostic, and the nearest known name for an unknown one.

#ifndef NAUTILUS_FRONTEND_SPECDIAGNOSTICS_H
#define NAUTILUS_FRONTEND_SPECDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::nautilus::frontend {

struct CallFrame;

/// A place in the text; inside a definition, with the use of the definition that leads there.
struct Place {
  llvm::SMLoc loc;
  const CallFrame *frame = nullptr;
};

/// One use of a definition.
struct CallFrame {
  llvm::StringRef callee;
  Place caller;
};

class SpecDiagnostics {
public:
  SpecDiagnostics(llvm::SourceMgr &sourceMgr, MLIRContext *context)
      : sourceMgr(sourceMgr), context(context) {}

  MLIRContext *getContext() const { return context; }
  llvm::SourceMgr &getSourceMgr() const { return sourceMgr; }

  Location getLocation(llvm::SMLoc loc) const;
  /// A call-site location for a place in a definition.
  Location getLocation(Place place) const;

  /// Starts an error; a place in a definition gets a note at each use that leads there.
  InFlightDiagnostic error(Place place);
  InFlightDiagnostic error(llvm::SMLoc loc) { return error(Place{loc}); }
  void note(InFlightDiagnostic &diagnostic, llvm::SMLoc loc, const llvm::Twine &text);
  void help(InFlightDiagnostic &diagnostic, llvm::SMLoc loc, const llvm::Twine &text);

  unsigned getNumErrors() const { return numErrors; }

private:
  llvm::SourceMgr &sourceMgr;
  MLIRContext *context;
  unsigned numErrors = 0;
};

/// The candidate nearest to `name`, or an empty text when none is near.
llvm::StringRef findNearest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace mlir::nautilus::frontend

#endif
