#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/ids.h"

namespace traceml {

// What waiting ranks get where another rank has failed and the transport does not end the process
// (ranks that are threads): the sentence and code of the first fail().
class RankEnded : public Error {
 public:
  using Error::Error;
};

// How ranks meet outside measured windows. Every call but rank(), world_size() and fail() is
// collective: all ranks make the same calls in the same order. Implementations: MPI, threads of one
// process, a single rank.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual Rank rank() const = 0;
  virtual int world_size() const = 0;

  // Blocks until all ranks are there.
  virtual void barrier() = 0;

  // Rank 0 gets every rank's bytes in rank order (any length, sent in slices); the others get an
  // empty vector.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;

  // Every rank gets rank 0's bytes.
  virtual std::string broadcast(const std::string& bytes) = 0;

  // Ends all ranks with this code after printing the sentence once, on standard error. May be
  // called by any thread of any rank, at any time, also while others sit in a collective call. Does
  // not return to the caller.
  [[noreturn]] virtual void fail(const std::string& sentence, ExitCode code) = 0;

  // fail(), and where the sentence is printed `after_words` is run, by the rank that prints it.
  // Where printing and ending cannot be told apart it is run first. It must not throw.
  [[noreturn]] virtual void fail_after(const std::string& sentence, ExitCode code,
                                       const std::function<void()>& after_words) {
    after_words();
    fail(sentence, code);
    std::abort();  // not reached; g++ forgets that a virtual function does not return
  }

  // Whether a rank has called fail(), as far as this one can see without asking. Any thread.
  virtual bool failing() const { return false; }
};

}  // namespace traceml
