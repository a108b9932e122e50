// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the two readers of the manifest: declarations (Manifest.cpp) and the host program
// (ProgramReader.cpp).

#ifndef NAUTILUS_LIB_RUNTIME_MANIFESTREADER_H
#define NAUTILUS_LIB_RUNTIME_MANIFESTREADER_H

#include "JsonReader.h"

#include "nautilus/Runtime/Manifest.h"

namespace nautilus::runtime {

/// Reads `manifest.program`; dims, args and kernels must be there. Errors go to `reader`.
void readProgram(JsonReader &reader, const Json &program, Manifest &manifest);

/// Positions by name, or -1.
int lookupDim(const Manifest &manifest, const std::string &name);
int lookupArg(const Manifest &manifest, const std::string &name);

} // namespace nautilus::runtime

#endif // NAUTILUS_LIB_RUNTIME_MANIFESTREADER_H
