#include "gnomon/oracle/case_json.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

// CASE-3, CASE-5. The shortest "%.Ng" that reads back; strings as given. In a file -0 is written so
// that every JSON reader keeps its sign.
std::string NumberText(const Number& number, bool canonical) {
  const std::string text = ToText(number);
  return text == "-0" && !canonical ? "-0.0" : text;
}

std::string ValueText(const Value& value, bool canonical) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return NumberText(*number, canonical);
  if (const std::string* text = std::get_if<std::string>(&value)) return Json(*text).dump();
  std::vector<std::string> items;
  for (const Number& number : std::get<std::vector<Number>>(value))
    items.push_back(NumberText(number, canonical));
  return fmt::format("[{}]", fmt::join(items, ","));
}

std::string ParametersText(const Parameters& parameters, bool canonical) {
  std::vector<std::string> items;
  for (const auto& [name, value] : parameters)
    items.push_back(Json(name).dump() + ":" + ValueText(value, canonical));
  return fmt::format("{{{}}}", fmt::join(items, ","));
}

Json ToJson(const MemoryLayout& layout) {
  return {{"strides", layout.strides}, {"origin", layout.origin}, {"extent", layout.extent}};
}

class HeaderParser {
 public:
  explicit HeaderParser(const std::string& file) : file_(file) {}

  CaseHeader Parse(const Json& json) {
    if (!json.is_object()) Fail("gnomon.case", "is no JSON object");
    for (const auto& [key, value] : json.items()) Member(key, value);
    if (!json.contains("operation")) Fail("operation", "is missing");
    return std::move(header_);
  }

 private:
  [[noreturn]] void Fail(const std::string& key, const std::string& what) const {
    throw BadFile(file_, "case: " + key + " " + what);
  }
  std::string Text(const std::string& key, const Json& value) const {
    if (!value.is_string()) Fail(key, "must be a string");
    return value.get<std::string>();
  }
  const Json& Object(const std::string& key, const Json& value) const {
    if (!value.is_object()) Fail(key, "must be an object");
    return value;
  }
  int64_t Integer(const std::string& key, const Json& value) const {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{1} << 62))
      Fail(key, "must hold integers");
    return value.get<int64_t>();
  }

  void Member(const std::string& key, const Json& value) {
    if (key == "operation") {
      header_.c.operation = Text(key, value);
    } else if (key == "parameters") {
      for (const auto& [name, entry] : Object(key, value).items())
        header_.c.parameters[name] = ToValue(entry, name, file_);
    } else if (key == "format") {
      const auto format = FormatFromName(Text(key, value));
      if (!format) Fail("format " + Quoted(Text(key, value)), "must be f64, f32, bf16 or f16");
      header_.c.format = *format;
    } else if (key == "in_place") {
      header_.c.in_place = Text(key, value);
    } else if (key == "inputs" || key == "outputs") {
      for (const auto& [role, name] : Object(key, value).items())
        (key == "inputs" ? header_.inputs : header_.outputs)[role] = Text(key, name);
    } else if (key == "axes") {
      for (const auto& [role, list] : Object(key, value).items()) {
        if (!list.is_array()) Fail(key, "must hold lists of names");
        std::vector<std::string>& axes = header_.axes[role];
        for (const Json& axis : list) axes.push_back(Text(key, axis));
      }
    } else if (key == "memory") {
      for (const auto& [role, layout] : Object(key, value).items())
        header_.memory[role] = Layout(role, layout);
    } else {
      Fail("key " + Quoted(key), "is not known");
    }
  }

  MemoryLayout Layout(const std::string& role, const Json& value) const {
    const std::string key = "memory of " + Quoted(role);
    Object(key, value);
    if (value.size() != 3 || !value.contains("strides") || !value.contains("origin") ||
        !value.contains("extent"))
      Fail(key, "must have strides, origin and extent, and nothing else");
    MemoryLayout layout;
    if (!value["strides"].is_array()) Fail(key, "must have a list of strides");
    for (const Json& stride : value["strides"]) layout.strides.push_back(Integer(key, stride));
    layout.origin = Integer(key, value["origin"]);
    layout.extent = Integer(key, value["extent"]);
    return layout;
  }

  const std::string& file_;
  CaseHeader header_;
};

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) Fail();
  }
  void Add(const void* bytes, size_t size) {
    if (EVP_DigestUpdate(context_.get(), bytes, size) != 1) Fail();
  }
  // The text and the NUL that ends it.
  void AddTerminated(const std::string& text) { Add(text.c_str(), text.size() + 1); }

  std::string Hex(size_t digits) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (EVP_DigestFinal_ex(context_.get(), digest, nullptr) != 1) Fail();
    std::string hex;
    for (size_t i = 0; i < digits; ++i)
      hex += "0123456789abcdef"[(digest[i / 2] >> (i % 2 ? 0 : 4)) & 15];
    return hex;
  }

 private:
  [[noreturn]] static void Fail() { throw std::runtime_error("OpenSSL cannot compute SHA-256"); }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

void AddElements(const Tensor& tensor, Sha256* hash) {
  const ConstTensorView view = tensor.view();
  const size_t size = static_cast<size_t>(SizeOf(view.dtype));
  if (view.contiguous()) {
    hash->Add(view.data, static_cast<size_t>(view.count()) * size);
    return;
  }
  for (int64_t i = 0; i < view.count(); ++i) hash->Add(view.AddressOf(i), size);
}

}  // namespace

Value ToValue(const Json& json, const std::string& parameter, const std::string& file) {
  const auto fail = [&](const std::string& what) {
    throw BadFile(file, "parameter " + Quoted(parameter) + " " + what, "CASE-3");
  };
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) fail("must be a number, a string, true, false or a list of numbers");
  std::vector<Number> numbers;
  for (const Json& item : json) {
    if (item.is_number()) {
      numbers.emplace_back(item.get<double>());
    } else if (item.is_string() && IsDecimal(item.get_ref<const std::string&>())) {
      numbers.emplace_back(item.get_ref<const std::string&>());
    } else {
      fail("must hold numbers, or decimals in quotes");
    }
  }
  return numbers;
}

CaseHeader ParseCaseHeader(std::string_view text, const std::string& file) {
  return HeaderParser(file).Parse(ParseStrictly(text, file, "CASE-7"));
}

std::string ToJson(const CaseHeader& header) {
  const Case& c = header.c;
  std::string text = "{\"operation\":" + Json(c.operation).dump() +
                     ",\"parameters\":" + ParametersText(c.parameters, false) + ",\"format\":\"" +
                     std::string(Traits(c.format).name) + "\"";
  if (!c.in_place.empty()) text += ",\"in_place\":" + Json(c.in_place).dump();
  if (!header.inputs.empty()) text += ",\"inputs\":" + Json(header.inputs).dump();
  if (!header.outputs.empty()) text += ",\"outputs\":" + Json(header.outputs).dump();
  if (!header.axes.empty()) text += ",\"axes\":" + Json(header.axes).dump();
  Json memory = Json::object();
  for (const auto& [role, layout] : header.memory) memory[role] = ToJson(layout);
  if (!memory.empty()) text += ",\"memory\":" + memory.dump();
  return text + "}";
}

MemoryLayout LayoutOf(const Tensor& tensor) {
  return {tensor.view().strides, tensor.origin(),
          static_cast<int64_t>(tensor.storage().size()) / SizeOf(tensor.dtype())};
}

bool IsContiguous(const Tensor& tensor) {
  const MemoryLayout layout = LayoutOf(tensor);
  return tensor.view().contiguous() && layout.origin == 0 && layout.extent == tensor.count();
}

std::string ParametersJson(const Parameters& parameters) {
  return ParametersText(parameters, true);
}

std::string CanonicalForm(const Case& c) {
  std::string text = "{\"format\":\"" + std::string(Traits(c.format).name) + "\"";
  if (!c.in_place.empty()) text += ",\"in_place\":" + Json(c.in_place).dump();
  Json memory = Json::object();
  for (const auto& [role, tensor] : c.inputs)
    if (!IsContiguous(tensor)) memory[role] = ToJson(LayoutOf(tensor));
  if (!memory.empty()) text += ",\"memory\":" + memory.dump();
  return text + ",\"operation\":" + Json(c.operation).dump() +
         ",\"parameters\":" + ParametersText(c.parameters, true) + "}";
}

std::string CaseId(const Case& c) {
  Sha256 hash;
  const std::string form = CanonicalForm(c);
  hash.Add(form.data(), form.size());
  for (const auto& [role, tensor] : c.inputs) {
    hash.AddTerminated(role);
    hash.AddTerminated(std::string(Name(tensor.dtype())));
    hash.AddTerminated(fmt::format("{}", fmt::join(tensor.shape(), ",")));
    AddElements(tensor, &hash);
  }
  return hash.Hex(12);
}

}  // namespace gnomon::oracle
