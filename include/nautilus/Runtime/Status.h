// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime says that something went wrong: a code of the C ABI and one sentence. The runtime
// never aborts and never throws; whoever can fail returns a Status.

#ifndef NAUTILUS_RUNTIME_STATUS_H
#define NAUTILUS_RUNTIME_STATUS_H

#include <string>
#include <utility>

namespace nautilus::runtime {

/// The values are those of the C ABI (nautilus-c/Runtime.h).
enum class Code {
  Ok = 0,
  InvalidArgument = 1,
  Unsupported = 2,
  Environment = 3,
  LaunchFailed = 4,
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message) : code(code), message(std::move(message)) {}

  bool ok() const { return code == Code::Ok; }
  Code getCode() const { return code; }
  const std::string &getMessage() const { return message; }

private:
  Code code = Code::Ok;
  std::string message;
};

inline Status invalidArgument(std::string message) {
  return Status(Code::InvalidArgument, std::move(message));
}
inline Status unsupported(std::string message) {
  return Status(Code::Unsupported, std::move(message));
}

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_STATUS_H
