// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed access to parsed JSON with one sticky error: the first thing that is missing or of the
// wrong type is remembered with its path, later accesses return neutral values. So the readers of
// the manifest can be written straight down and ask once whether all went well.

#ifndef NAUTILUS_LIB_RUNTIME_JSONREADER_H
#define NAUTILUS_LIB_RUNTIME_JSONREADER_H

#include "nautilus/Runtime/Status.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace nautilus::runtime {

using Json = nlohmann::json;

class JsonReader {
public:
  bool failed() const { return !status.ok(); }
  Status takeStatus() { return std::move(status); }

  void fail(const std::string &where, const std::string &message);
  void fail(Status error);

  /// Fails unless `object` is an object all of whose keys are in `keys`: a key that is not
  /// understood could change the meaning.
  bool checkObject(const Json &object, const std::string &where,
                   std::initializer_list<const char *> keys);

  const Json &getArray(const Json &object, const char *key, const std::string &where);
  std::string getString(const Json &object, const char *key, const std::string &where);
  int64_t getInt(const Json &object, const char *key, const std::string &where, int64_t low,
                 int64_t high);
  int64_t asInt(const Json &value, const std::string &where, int64_t low, int64_t high);
  bool getBool(const Json &object, const char *key, const std::string &where);

private:
  const Json *find(const Json &object, const char *key, const std::string &where);

  Status status;
};

} // namespace nautilus::runtime

#endif // NAUTILUS_LIB_RUNTIME_JSONREADER_H
