// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SpecDiagnostics.h.

#include "SpecDiagnostics.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

Location SpecDiagnostics::getLocation(llvm::SMLoc loc) const {
  unsigned buffer = sourceMgr.FindBufferContainingLoc(loc);
  assert(buffer && "a place outside all buffers");
  auto [line, column] = sourceMgr.getLineAndColumn(loc, buffer);
  return FileLineColLoc::get(context, sourceMgr.getMemoryBuffer(buffer)->getBufferIdentifier(),
                             line, column);
}

Location SpecDiagnostics::getLocation(Place place) const {
  Location loc = getLocation(place.loc);
  if (!place.frame)
    return loc;
  return CallSiteLoc::get(loc, getLocation(place.frame->caller));
}

InFlightDiagnostic SpecDiagnostics::error(Place place) {
  ++numErrors;
  InFlightDiagnostic diagnostic = emitError(getLocation(place.loc));
  // The innermost uses, and the one in the spec.
  static constexpr unsigned maxInner = 3;
  unsigned depth = 0;
  for (const CallFrame *frame = place.frame; frame; frame = frame->caller.frame)
    if (depth++ < maxInner || !frame->caller.frame)
      diagnostic.attachNote(getLocation(frame->caller.loc))
          << "in the definition of `" << frame->callee << "`, used here";
  return diagnostic;
}

void SpecDiagnostics::note(InFlightDiagnostic &diagnostic, llvm::SMLoc loc,
                           const llvm::Twine &text) {
  diagnostic.attachNote(getLocation(loc)) << text;
}

void SpecDiagnostics::help(InFlightDiagnostic &diagnostic, llvm::SMLoc loc,
                           const llvm::Twine &text) {
  diagnostic.attachNote(getLocation(loc)) << "help: " << text;
}

llvm::StringRef mlir::nautilus::frontend::findNearest(llvm::StringRef name,
                                                      llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef nearest;
  unsigned best = (name.size() + 2) / 3 + 1;
  for (llvm::StringRef candidate : candidates) {
    // A name that differs in case only counts as near whatever its length.
    unsigned distance = candidate.equals_insensitive(name)
                            ? 0
                            : name.edit_distance(candidate, /*AllowReplacements=*/true, best);
    if (distance < best && distance < name.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
