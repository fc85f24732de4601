// How a file that cannot be read or written is refused: one line with the file, what is wrong with
// it, and the clause (CASE-6, CASE-7).
#ifndef GNOMON_ORACLE_BAD_FILE_H_
#define GNOMON_ORACLE_BAD_FILE_H_

#include <stdexcept>
#include <string>

namespace gnomon::oracle {

class BadFile : public std::runtime_error {
 public:
  // "run.safetensors: tensor \"x\": ends beyond the file (CASE-7)"
  BadFile(const std::string& file, const std::string& what, const std::string& clause = "CASE-7")
      : std::runtime_error(file + ": " + what + " (" + clause + ")"), clause_(clause) {}
  // The same in this process as `line`, the what() of one in another process; it ends "(CASE-7)".
  static BadFile Again(const std::string& line) {
    const size_t open = line.rfind('(');
    const bool has = open != std::string::npos && line.ends_with(')');
    return BadFile(Whole{line}, has ? line.substr(open + 1, line.size() - open - 2) : "");
  }
  const std::string& clause() const { return clause_; }

 private:
  struct Whole {
    const std::string& line;
  };
  BadFile(const Whole& whole, const std::string& clause)
      : std::runtime_error(whole.line), clause_(clause) {}

  std::string clause_;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_BAD_FILE_H_
