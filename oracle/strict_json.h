// JSON as this project reads it: no duplicate keys, no deep nesting, no number that binary64 cannot
// hold; everything wrong is a BadFile.
#ifndef GNOMON_ORACLE_STRICT_JSON_H_
#define GNOMON_ORACLE_STRICT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gnomon::oracle {

using Json = nlohmann::json;

// `file` and `clause` are for the message.
Json ParseStrictly(std::string_view text, const std::string& file, const std::string& clause);

// A value from a file, for a message: on one line, of bounded length.
std::string ShortText(const Json& value);

// A name from a file, for a message: quoted, on one line, of bounded length.
std::string Quoted(std::string_view name);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_STRICT_JSON_H_
