// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ptxas and reads its report: registers, stack, spills, barriers, and the advisory messages
// that say a wgmma was serialised or a register request ignored (they do not fail ptxas, and
// -Werror does not raise them).

#include "nautilus/Target/PTX/PTXTarget.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::nautilus;

std::string mlir::nautilus::findPtxas() {
  if (std::optional<std::string> chosen = llvm::sys::Process::GetEnv("NAUTILUS_PTXAS"))
    return *chosen;
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  std::string usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual : "";
}

static int64_t matchNumber(StringRef line, StringRef pattern) {
  SmallVector<StringRef> matches;
  int64_t value = 0;
  if (llvm::Regex(pattern).match(line, &matches))
    (void)matches[1].getAsInteger(10, value);
  return value;
}

/// Reads the lines of `ptxas -v`.
static void readReport(StringRef text, CubinResult &result) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    SmallVector<StringRef> name;
    if (llvm::Regex("Compiling entry function '([^']+)'").match(line, &name)) {
      result.kernels.emplace_back().kernel = name[1].str();
      continue;
    }
    if (llvm::Regex("C75[0-9][0-9]|[Pp]otential [Pp]erformance|warning").match(line))
      result.messages.push_back(line.trim().str());
    if (result.kernels.empty())
      continue;
    KernelResources &kernel = result.kernels.back();
    if (line.contains("bytes stack frame")) {
      kernel.stackBytes = matchNumber(line, "([0-9]+) bytes stack frame");
      kernel.spillStoreBytes = matchNumber(line, "([0-9]+) bytes spill stores");
      kernel.spillLoadBytes = matchNumber(line, "([0-9]+) bytes spill loads");
    }
    if (line.contains("Used ")) {
      kernel.registers = matchNumber(line, "Used ([0-9]+) registers");
      kernel.barriers = matchNumber(line, "used ([0-9]+) barriers");
    }
  }
}

static std::string readAll(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

FailureOr<CubinResult> mlir::nautilus::assemblePTX(StringRef ptx, StringRef arch, StringRef ptxas,
                                                   std::string &error) {
  SmallString<128> input, output, log;
  if (llvm::sys::fs::createTemporaryFile("nautilus", "ptx", input) ||
      llvm::sys::fs::createTemporaryFile("nautilus", "cubin", output) ||
      llvm::sys::fs::createTemporaryFile("nautilus", "log", log)) {
    error = "cannot create temporary files";
    return failure();
  }
  llvm::FileRemover removeInput(input), removeOutput(output), removeLog(log);
  {
    std::error_code code;
    llvm::raw_fd_ostream os(input, code);
    os << ptx;
  }
  std::string archFlag = ("-arch=" + arch).str();
  StringRef args[] = {ptxas, archFlag, "-v", input, "-o", output};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, args, std::nullopt, redirects,
                                         /*SecondsToWait=*/300, 0, &message);
  std::string report = readAll(log);
  if (status != 0) {
    error = message.empty() ? report : message;
    return failure();
  }
  CubinResult result;
  readReport(report, result);
  result.cubin = readAll(output);
  return result;
}
