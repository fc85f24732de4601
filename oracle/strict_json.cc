#include "gnomon/oracle/strict_json.h"

#include <set>
#include <vector>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

constexpr int kDeepest = 32;  // a case needs 3, a config.json about 5
constexpr size_t kLongestName = 80;

// "[json.exception.parse_error.101] parse error at ..." without the bracket.
std::string Reason(const std::exception& error) {
  std::string text = error.what();
  if (const size_t end = text.find("] "); text[0] == '[' && end != std::string::npos)
    text.erase(0, end + 2);
  return text.substr(0, 200);
}

}  // namespace

Json ParseStrictly(std::string_view text, const std::string& file, const std::string& clause) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw BadFile(file, "JSON is nested too deeply", clause);
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second)
        throw BadFile(file, "key " + Quoted(key) + " occurs twice", clause);
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw BadFile(file, "JSON cannot be read: " + Reason(error), clause);
  }
}

std::string ShortText(const Json& value) {
  constexpr size_t kMost = 80;
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

std::string Quoted(std::string_view name) {
  const bool whole = name.size() <= kLongestName;
  return Json(std::string(name.substr(0, kLongestName)))
             .dump(-1, ' ', true, Json::error_handler_t::replace) +
         (whole ? "" : "...");
}

}  // namespace gnomon::oracle
