#include "harness/analysis/input_diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "harness/analysis/input_thresholds.h"

namespace traceml {

namespace {

using std::to_string;

constexpr const InputThresholds& kLimits = kInputThresholds;

std::string number(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

// "4.2 ms"; "0.05 ms".
std::string short_ms(Millis time) {
  return number(time.count(), std::abs(time.count()) < 1 ? 2 : 1) + " ms";
}

std::string whole_percent(double share) {
  return number(100 * share, 0) + " %";
}

std::string counted(std::int64_t count, const std::string& what) {
  return to_string(count) + " " + what + (count == 1 ? "" : "s");
}

double share(Millis part, Millis whole) {
  return whole.count() > 0 ? part / whole : 0;
}

class Diagnosis {
 public:
  explicit Diagnosis(const InputEvidence& evidence) : of_(evidence), figures_(evidence.figures) {}

  InputDiagnosis make() const {
    if (figures_.batches < kLimits.least_batches) {
      return unknown(to_string(figures_.batches) + " timed batches" + " of the " +
                     to_string(kLimits.least_batches) + " that it takes");
    }
    if (share(figures_.waited() + figures_.copied(), figures_.step) < kLimits.wait) {
      return nothing_waited();
    }
    if (figures_.copied() >= figures_.waited()) return copy_bound();
    if (of_.workers == 0) return training_thread();
    if (of_.ready_wait > kLimits.ready_wait) return no_core();
    if (!of_.demand) return unknown("what the step takes without its input is not known");
    if (is_held_up_by_files()) return slow_files();
    if (is_held_up_by_engines()) return engines_too_slow();
    if (figures_.utilisation.value_or(0) < kLimits.busy || supply_time() <= *of_.demand) {
      return unexplained();
    }
    return workers_too_slow();
  }

 private:
  Millis work() const { return figures_.sample() * static_cast<double>(of_.batch); }
  Millis supply_time() const { return work() / of_.workers; }

  static InputDiagnosis unknown(std::string why) {
    return {InputCause::kUnknown, std::nullopt, std::move(why), std::nullopt};
  }

  std::string wait_of_step() const {
    return short_ms(figures_.waited()) + " of a step of " + short_ms(figures_.step);
  }

  std::string demand_in_words() const {
    return "the step without input takes " + short_ms(*of_.demand) + " (" + of_.demand_of + ")";
  }

  InputDiagnosis nothing_waited() const {
    if (of_.steps_per_window < kLimits.queues_in_window * of_.queue_capacity) {
      return unknown("nothing waited, but a window of " + counted(of_.steps_per_window, "step") +
                     " can live on a queue of " + to_string(of_.queue_capacity) +
                     " batches that was filled before it");
    }
    const double most_shrink =
        std::max(1.0, kLimits.shrink * static_cast<double>(figures_.batches));
    if (figures_.queue_shrink.value_or(0) > most_shrink) {
      return unknown("nothing waited, but the queue lost " + number(*figures_.queue_shrink, 0) +
                     " of " + to_string(figures_.batches) +
                     " batches over the windows: longer ones may find it empty");
    }
    std::string why = "the training thread waits " + wait_of_step();
    if (of_.workers > 0) {
      why += "; " + counted(of_.workers, "worker") + (of_.workers == 1 ? " makes" : " make") +
             " a batch in " + short_ms(supply_time());
      if (figures_.utilisation) why += ", busy " + whole_percent(*figures_.utilisation);
    }
    if (figures_.queue_mean)
      why += "; " + number(*figures_.queue_mean, 1) + " batches ready at a take";
    return {InputCause::kConsumer, std::nullopt, std::move(why), std::nullopt};
  }

  InputDiagnosis no_core() const {
    return unknown("the training thread waits " + wait_of_step() + ", " +
                   whole_percent(of_.ready_wait) +
                   " of it with a batch ready: for a core, not for the loader" + starved());
  }

  InputDiagnosis copy_bound() const {
    std::string why = "the step waits " + short_ms(figures_.copied()) + " of " +
                      short_ms(figures_.step) + " for the copy to the device";
    if (figures_.copy) why += " (a copy takes " + short_ms(*figures_.copy) + ")";
    why += " and " + short_ms(figures_.waited()) +
           " for batches: input.copy: async, input.pinned and input.dtype: uint8 make copies cheap";
    return {InputCause::kCopy, std::nullopt, std::move(why), std::nullopt};
  }

  // "71 % of it decoding".
  std::string leading_stage() const {
    const double read = share(figures_.read, figures_.sample());
    const double decode = share(figures_.decode, figures_.sample());
    const double resize = share(figures_.resize, figures_.sample());
    if (read >= decode && read >= resize) return whole_percent(read) + " of it reading";
    return decode >= resize ? whole_percent(decode) + " of it decoding"
                            : whole_percent(resize) + " of it resizing";
  }

  InputCause stage_cause() const {
    return share(figures_.read, figures_.sample()) > kLimits.stage ? InputCause::kRead
                                                                   : InputCause::kDecode;
  }

  InputDiagnosis training_thread() const {
    InputDiagnosis made{stage_cause(), std::nullopt, {}, std::nullopt};
    made.why =
        "the training thread makes the batches itself, " + wait_of_step() + ", " + leading_stage();
    if (of_.demand) {
      made.why += "; " + demand_in_words();
      advise(work(), &made);
    }
    return made;
  }

  bool is_held_up_by_files() const {
    return of_.slowest && of_.slowest->times_usual >= kLimits.slow_sample &&
           of_.slow_wait > kLimits.slow_wait && of_.work_without_slow / of_.workers <= *of_.demand;
  }

  InputDiagnosis slow_files() const {
    const SlowFile& file = *of_.slowest;
    std::string why =
        file.file + " takes " + short_ms(file.cost) + ", " + number(file.times_usual, 0) +
        " times the usual " + short_ms(of_.usual_sample) + "; " + whole_percent(of_.slow_wait) +
        " of the waiting (" + wait_of_step() + ") is for batches with such a file; without them " +
        counted(of_.workers, "worker") + " would make a batch in " +
        short_ms(of_.work_without_slow / of_.workers) + ", and " + demand_in_words() +
        ": make such files smaller or leave them out";
    return {InputCause::kSlowFiles, std::nullopt, std::move(why), std::nullopt};
  }

  // Workers work or wait for the engines nearly all the time, and wait longer than they work, or
  // would keep up if they did not wait. Other workers would wait for the same engines.
  bool is_held_up_by_engines() const {
    if (!figures_.engine_wait) return false;
    const Millis waits = *figures_.engine_wait;
    if (share(work() + waits, figures_.step * of_.workers) < kLimits.busy) return false;
    return share(waits, work() + waits) > kLimits.stage || supply_time() <= *of_.demand;
  }

  InputDiagnosis engines_too_slow() const {
    const Millis all = figures_.step * of_.workers;
    std::string why = counted(of_.workers, "worker") + (of_.workers == 1 ? " waits " : " wait ") +
                      whole_percent(std::min(share(*figures_.engine_wait, all), 1.0)) +
                      " of the time for the hardware decoder and " +
                      (of_.workers == 1 ? "is" : "are") + " busy " +
                      whole_percent(figures_.utilisation.value_or(0)) + "; a step takes " +
                      short_ms(figures_.step) + ", and " + demand_in_words() +
                      ": the GPU's JPEG engines are the limit, and more workers would wait for "
                      "them, too; a smaller input.hardware_share leaves the workers a part";
    return {InputCause::kEngines, std::nullopt, std::move(why), std::nullopt};
  }

  InputDiagnosis unexplained() const {
    std::string why = "the training thread waits " + wait_of_step() + ", but " +
                      counted(of_.workers, "worker") + " busy " +
                      whole_percent(figures_.utilisation.value_or(0)) + " could make a batch in " +
                      short_ms(supply_time()) + ", and " + demand_in_words() +
                      ": neither their work nor a slow file explains it";
    return unknown(why + starved());
  }

  InputDiagnosis workers_too_slow() const {
    InputDiagnosis made{stage_cause(), std::nullopt, {}, std::nullopt};
    const double busy = std::min(*figures_.utilisation, 1.0) * of_.workers;
    made.why = number(busy, busy < of_.workers - 0.05 ? 1 : 0) + " of " +
               counted(of_.workers, "worker") + " busy, " + leading_stage() + "; a batch is " +
               short_ms(work()) + " of work, " + short_ms(supply_time()) + " for " +
               counted(of_.workers, "worker") + ", and " + demand_in_words() + ": " +
               short_ms(supply_time() - *of_.demand) + " short per step" + starved();
    advise(work(), &made);
    return made;
  }

  // Where workers do not get the cores that they are busy on.
  std::string starved() const {
    if (!figures_.cpu || stage_cause() == InputCause::kRead) return "";
    const double core = share(*figures_.cpu, figures_.sample());
    if (core >= kLimits.core) return "";
    return "; each worker had " + whole_percent(core) + " of a core while at work";
  }

  void advise(Millis batch_work, InputDiagnosis* made) const {
    const int needed = workers_for(batch_work, *of_.demand);
    made->workers_needed = needed;
    made->why += "; " + counted(needed, "worker") + " would do";
    if (made->cause == InputCause::kRead) made->why += " if the storage serves them side by side";
    if (of_.cores && needed + 1 > *of_.cores) {
      made->why += ", but " + counted(*of_.cores, "core") + (*of_.cores == 1 ? " is" : " are") +
                   " allowed to them and the training thread";
    }
  }

  const InputEvidence& of_;
  const InputFigures& figures_;
};

}  // namespace

std::string_view words_of(InputCause cause) {
  constexpr std::array<std::string_view, 7> kWords = {
      "not input-bound",       "input-bound", "engine-bound", "read-bound",
      "held up by slow files", "copy-bound",  "cannot tell"};
  return kWords[static_cast<std::size_t>(cause)];
}

std::string_view name_of(InputCause cause) {
  constexpr std::array<std::string_view, 7> kNames = {
      "not_input_bound", "input_bound", "engine_bound", "read_bound",
      "slow_files",      "copy_bound",  "cannot_tell"};
  return kNames[static_cast<std::size_t>(cause)];
}

int workers_for(Millis work, Millis demand) {
  constexpr double kMost = 1e6;
  const double exact = work.count() * (1 + kLimits.slack) / demand.count();
  return static_cast<int>(std::clamp(std::ceil(exact), 1.0, kMost));
}

InputDiagnosis diagnose_input(const InputEvidence& evidence) {
  return Diagnosis(evidence).make();
}

}  // namespace traceml
