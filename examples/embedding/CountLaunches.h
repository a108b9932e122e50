// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass of the embedding compiler's own.

#ifndef NAUTILUS_EMBEDDING_COUNTLAUNCHES_H
#define NAUTILUS_EMBEDDING_COUNTLAUNCHES_H

namespace embedding {

/// Registers `embed-count-launches`, which remarks on every host entry how many launches it makes.
void registerCountLaunchesPass();

} // namespace embedding

#endif
