// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed access to parsed JSON; see the header. Types are always asked before a value is taken,
// because the JSON library aborts on a wrong one where exceptions are off.

#include "JsonReader.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace nautilus::runtime;

void JsonReader::fail(const std::string &where, const std::string &message) {
  fail(invalidArgument("manifest: " + where + ": " + message));
}

void JsonReader::fail(Status error) {
  if (status.ok())
    status = std::move(error);
}

bool JsonReader::checkObject(const Json &object, const std::string &where,
                             std::initializer_list<const char *> keys) {
  if (!object.is_object()) {
    fail(where, "expected an object");
    return false;
  }
  for (auto it = object.begin(); it != object.end(); ++it) {
    const std::string &key = it.key();
    if (std::none_of(keys.begin(), keys.end(), [&](const char *known) { return key == known; })) {
      fail(where, "unknown key '" + key + "'");
      return false;
    }
  }
  return true;
}

const Json *JsonReader::find(const Json &object, const char *key, const std::string &where) {
  if (!object.is_object()) {
    fail(where, "expected an object");
    return nullptr;
  }
  auto it = object.find(key);
  if (it == object.end()) {
    fail(where, std::string("expected a key '") + key + "'");
    return nullptr;
  }
  return &*it;
}

const Json &JsonReader::getArray(const Json &object, const char *key, const std::string &where) {
  static const Json empty = Json::array();
  const Json *value = find(object, key, where);
  if (value && value->is_array())
    return *value;
  fail(where, std::string("expected an array as '") + key + "'");
  return empty;
}

std::string JsonReader::getString(const Json &object, const char *key, const std::string &where) {
  const Json *value = find(object, key, where);
  if (value && value->is_string())
    return *value->get_ptr<const std::string *>();
  fail(where, std::string("expected a string as '") + key + "'");
  return std::string();
}

int64_t JsonReader::asInt(const Json &value, const std::string &where, int64_t low, int64_t high) {
  bool fits = value.is_number_integer();
  if (value.is_number_unsigned())
    fits = *value.get_ptr<const uint64_t *>() <= uint64_t(std::numeric_limits<int64_t>::max());
  if (fits) {
    int64_t number = value.get<int64_t>();
    if (low <= number && number <= high)
      return number;
  }
  fail(where, "expected an integer from " + std::to_string(low) + " to " + std::to_string(high));
  return std::max(low, std::min<int64_t>(high, 0));
}

int64_t JsonReader::getInt(const Json &object, const char *key, const std::string &where,
                           int64_t low, int64_t high) {
  const Json *value = find(object, key, where);
  return asInt(value ? *value : Json(), where + "." + key, low, high);
}

bool JsonReader::getBool(const Json &object, const char *key, const std::string &where) {
  const Json *value = find(object, key, where);
  if (value && value->is_boolean())
    return value->get<bool>();
  fail(where, std::string("expected true or false as '") + key + "'");
  return false;
}
