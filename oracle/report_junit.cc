#include "gnomon/oracle/report_junit.h"

#include <fmt/format.h>

#include <map>

#include "gnomon/oracle/conclusion.h"

namespace gnomon::oracle {
namespace {

// XML 1.0 has no spelling for most control characters, nor for what is no UTF-8.
std::string Escaped(const std::string& text) {
  const std::string valid =
      Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
          .get<std::string>();
  std::string escaped;
  for (char c : valid) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  void Add(const std::string& name, const std::string& of, const std::string& body) {
    ++tests;
    cases += fmt::format("    <testcase name=\"{}\" classname=\"{}\"", Escaped(name), Escaped(of));
    cases += body.empty() ? "/>\n" : ">\n" + body + "    </testcase>\n";
  }
};

std::string Body(const std::string& element, const std::string& message, const std::string& text) {
  return fmt::format("      <{0} message=\"{1}\">{2}</{0}>\n", element, Escaped(message),
                     Escaped(text));
}

void Add(const Result& result, bool expected, Suite* suite) {
  const std::string name = result.clause.empty() ? result.source : result.name;
  std::string text = result.detail + result.MistakesText();
  if (!result.repeat.empty()) text += (text.empty() ? "repeat: " : "; repeat: ") + result.repeat;
  std::string body;
  if (!result.applicable) {
    ++suite->skipped;
    body = "      <skipped message=\"not applicable\"/>\n";
  } else if (expected) {
    ++suite->skipped;
    body = Body("skipped", "expected: " + result.status, text);
  } else if (result.verdict == Verdict::kCrashed || result.verdict == Verdict::kRefused) {
    ++suite->errors;
    body = Body("error", result.status, text);
  } else if (!result.passes()) {
    ++suite->failures;
    body = Body("failure", result.status, text);
  }
  const std::string operation = result.operations.empty() ? "-" : result.operations.front();
  suite->Add(name, result.clause.empty() ? operation : result.clause, body);
}

}  // namespace

std::string JUnit(const Conclusion& conclusion) {
  std::map<std::string, Suite> suites;  // by subject; all recordings are one
  bool judged = false;
  for (size_t i = 0; i < conclusion.results.size(); ++i) {
    const Result& result = conclusion.results[i];
    Suite& suite = suites[result.subject.empty() ? "recordings" : result.subject];
    judged |= result.applicable;
    Add(result, conclusion.outcome && conclusion.outcome->expected[i], &suite);
  }
  if (conclusion.outcome) {
    Suite& suite = suites["expected failures"];
    for (const std::string& problem : conclusion.outcome->problems) {
      ++suite.failures;
      suite.Add(problem, conclusion.list, Body("failure", problem, ""));
    }
    if (conclusion.outcome->problems.empty())
      suite.Add("fails as listed, and nothing else", conclusion.list, "");
  }
  if (!judged) {
    Suite& suite = suites["nothing run"];
    ++suite.failures;
    suite.Add("something is judged", "gnomon", Body("failure", "nothing run", ""));
  }
  Suite all;
  std::string text;
  for (const auto& [name, suite] : suites) {
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}"
        "  </testsuite>\n",
        Escaped(name), suite.tests, suite.failures, suite.errors, suite.skipped, suite.cases);
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gnomon\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, text);
}

}  // namespace gnomon::oracle
