#include "mixtures/latent_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "inference/expected_counts.hpp"
#include "mixtures/batches.hpp"
#include "mixtures/decoder.hpp"
#include "mixtures/family_entries.hpp"
#include "mixtures/latent_components.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

constexpr double first_rate = 0.04;        // of the learning rate
constexpr double warm_up = 0.1;            // of the steps, in which the rate rises
constexpr std::size_t rows_at_once = 512;  // held-out ones
constexpr std::size_t rows_at_once_in_haste = 32;
constexpr double evaluation_share = 0.005;  // of the time to the deadline, for each evaluation

enum Stream : std::uint64_t { of_weights, of_rows, of_points, of_held_out };

/// How far learning is: by steps or, if that is more, by time.
class Course {
public:
    Course(std::size_t n_steps, const RunControl& control)
        : n_steps_(n_steps),
          control_(&control),
          started_(Clock::now()) {}

    double fraction(std::size_t step) const {
        const double by_steps = static_cast<double>(step) / static_cast<double>(n_steps_);
        if (!control_->has_deadline()) return by_steps;
        const auto whole = std::chrono::duration<double>(control_->deadline() - started_);
        return std::max(by_steps, seconds() / std::max(whole.count(), 1e-9));
    }
    double seconds() const {
        return std::chrono::duration<double>(Clock::now() - started_).count();
    }

private:
    std::size_t n_steps_;
    const RunControl* control_;
    Clock::time_point started_;
};

/// Rises, then falls along a cosine.
double rate_at(double fraction) {
    if (fraction < warm_up) return first_rate + (1.0 - first_rate) * fraction / warm_up;
    const double rest = std::min(1.0, (fraction - warm_up) / (1.0 - warm_up));
    return 0.5 * (1.0 + std::cos(std::numbers::pi * rest));
}

/// The shape with its first points alone.
LatentMixtureShape with_points(LatentMixtureShape shape, std::size_t n_points) {
    shape.points.resize(std::min(n_points * shape.n_latent, shape.points.size()));
    return shape;
}

class Learning {
public:
    Learning(const LatentMixtureTask& task, const RowTable& table, const RowLimits& limits,
             RunControl& control)
        : shape_(&task.shape),
          moving_(with_points(task.shape, task.options.n_moving)),
          options_(&task.options),
          limits_(limits),
          control_(&control),
          entries_(shape_->arities, shape_->parents),
          rows_(table, task.weights, entries_),
          held_out_(table, task.held_out_weights, entries_),
          weight_stream_(options_->seed, of_weights),
          row_stream_(options_->seed, of_rows),
          point_stream_(options_->seed, of_points),
          held_out_stream_(options_->seed, of_held_out),
          decoder_(shape_->n_latent, options_->n_hidden, rows_.base_logits(), weight_stream_),
          steps_(decoder_.parameters().size()),
          components_(moving_, entries_, decoder_, options_->instruction_set, limits.n_threads),
          all_(*shape_, entries_, decoder_, options_->instruction_set, limits.n_threads),
          course_(options_->n_steps, control),
          order_(rows_.n_rows()),
          next_(rows_.n_rows()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    LatentMixture run() {
        std::size_t n_evaluated = 0;
        std::size_t n_worse = 0;
        double fraction = 0.0;
        evaluate(0);
        for (std::size_t step = 0; fraction < 1.0 && !is_over(*control_); ++step) {
            if (!climb(fraction)) break;
            fraction = course_.fraction(step + 1);
            control_->add_done(1);
            found_.n_steps = step + 1;
            const auto n_due =
                static_cast<std::size_t>(fraction * static_cast<double>(options_->n_evaluations));
            if (n_due <= n_evaluated && fraction < 1.0) continue;
            n_evaluated = n_due;
            n_worse = evaluate(step + 1) ? 0 : n_worse + 1;
            if (n_worse >= options_->patience) break;
        }
        return finish();
    }

    LatentGradients gradients() {
        rows_.load(order_, batch_);
        components_.move_points(std::vector<double>(shape_->n_latent, 0.0));
        double sum = components_.add_complete(batch_, true);
        ExpectedCounts of_incomplete;
        if (!batch_.incomplete.empty()) {
            sum += components_.likelihood_of_incomplete(rows_, batch_, limits_, *control_);
            of_incomplete = components_.count_incomplete(rows_, batch_, limits_, *control_);
        }
        components_.find_gradients(batch_, of_incomplete, gradients_);
        const auto parameters = decoder_.parameters();
        return {sum / batch_.total_weight, {parameters.begin(), parameters.end()}, gradients_};
    }

private:
    /// One step; false where a stop request left it half done.
    bool climb(double fraction) {
        const std::size_t n = std::min(options_->batch_size, rows_.n_rows());
        if (next_ + n > order_.size()) {
            row_stream_.shuffle(std::span(order_));
            next_ = 0;
        }
        rows_.load(std::span(order_).subspan(next_, n), batch_);
        next_ += n;
        if (!(batch_.total_weight > 0.0)) return true;
        components_.move_points(next_shift(fraction));
        components_.add_complete(batch_, true);
        ExpectedCounts of_incomplete;
        if (!batch_.incomplete.empty())
            of_incomplete = components_.count_incomplete(rows_, batch_, limits_, *control_);
        if (control_->stop_requested()) return false;
        components_.find_gradients(batch_, of_incomplete, gradients_);
        if (options_->learns_weights) components_.move_weights(batch_, of_incomplete);
        steps_.begin(options_->learning_rate * rate_at(fraction), options_->weight_decay);
        steps_.move(decoder_.parameters(), gradients_, 0, gradients_.size());
        return true;
    }

    std::vector<double> next_shift(double fraction) {
        std::vector<double> shift(shape_->n_latent, 0.0);
        const bool has_more = moving_.points.size() < shape_->points.size();
        if (has_more || fraction < 1.0 - options_->still_fraction)
            for (double& place : shift) place = point_stream_.uniform();
        return shift;
    }

    /// Whether the decoder at hand is the best so far.
    bool evaluate(std::size_t step) {
        if (options_->learns_weights) all_.set_weights(components_.weights());
        all_.move_points(std::vector<double>(shape_->n_latent, 0.0));
        const double mean = mean_of_held_out();
        if (control_->stop_requested() && !best_.empty()) return false;
        found_.history.push_back({step, course_.seconds(), mean});
        if (!best_.empty() && !(mean > found_.held_out)) return false;
        found_.held_out = mean;
        control_->report_best(mean, 0);
        best_.assign(decoder_.parameters().begin(), decoder_.parameters().end());
        found_.weights = all_.weights();
        return true;
    }

    /// Mean log-likelihood of the held-out rows, of which a stop request leaves some out. Under a
    /// deadline, they are no more than the first call could read in its share of the time.
    double mean_of_held_out() {
        const auto until = held_out_order_.empty() ? share_of_time(*control_, evaluation_share)
                                                   : Clock::time_point::max();
        if (held_out_order_.empty()) order_held_out();
        double sum = 0.0;
        double weight = 0.0;
        std::size_t first = 0;
        while (first < held_out_order_.size()) {
            const std::size_t n = std::min(held_out_at_once(), held_out_order_.size() - first);
            held_out_.load(std::span(held_out_order_).subspan(first, n), batch_);
            sum += all_.add_complete(batch_, false);
            if (!batch_.incomplete.empty())
                sum += all_.likelihood_of_incomplete(held_out_, batch_, limits_, *control_);
            weight += batch_.total_weight;
            first += n;
            if (is_over(*control_, until)) break;
        }
        if (!control_->stop_requested()) held_out_order_.resize(first);
        return weight > 0.0 ? sum / weight : 0.0;
    }

    /// In random order, if not all of them may be read.
    void order_held_out() {
        held_out_order_.resize(held_out_.n_rows());
        std::iota(held_out_order_.begin(), held_out_order_.end(), std::size_t{0});
        if (control_->has_deadline()) held_out_stream_.shuffle(std::span(held_out_order_));
    }

    std::size_t held_out_at_once() const {
        return control_->has_deadline() ? rows_at_once_in_haste : rows_at_once;
    }

    LatentMixture finish() {
        std::ranges::copy(best_, decoder_.parameters().begin());
        all_.move_points(std::vector<double>(shape_->n_latent, 0.0));
        found_.tables = all_.tables();
        return std::move(found_);
    }

    const LatentMixtureShape* shape_;
    LatentMixtureShape moving_;
    const LatentMixtureOptions* options_;
    RowLimits limits_;
    RunControl* control_;
    FamilyEntries entries_;
    BatchRows rows_, held_out_;
    RandomStream weight_stream_, row_stream_, point_stream_, held_out_stream_;
    Decoder decoder_;
    DecoderSteps steps_;
    LatentComponents components_, all_;  // those of a step, and those that are the result
    Course course_;
    std::vector<std::size_t> order_, held_out_order_;
    std::size_t next_;
    Batch batch_;
    std::vector<float> gradients_, best_;
    LatentMixture found_;
};

}  // namespace

std::vector<LatentMixture> learn_latent_mixtures(const std::vector<LatentMixtureTask>& tasks,
                                                 const RowTable& table, const RowLimits& limits,
                                                 RunControl& control) {
    std::uint64_t n_steps = 0;
    for (const auto& [shape, options, weights, held_out_weights] : tasks) {
        if (shape.n_latent == 0 || shape.points.empty() ||
            shape.points.size() % shape.n_latent != 0)
            throw std::invalid_argument("there must be a point for each component");
        if (options.learns_weights && shape.n_components() > options.n_moving)
            throw std::invalid_argument("weights are learned of the points of a step");
        n_steps += options.n_steps;
    }
    control.set_total(n_steps);
    const auto n_at_once = std::clamp<std::size_t>(static_cast<std::size_t>(limits.n_threads), 1,
                                                   std::max<std::size_t>(tasks.size(), 1));
    const auto n_crews = static_cast<int>(n_at_once);
    const RowLimits own_limits{std::max(limits.n_threads / n_crews, 1),
                               limits.max_bytes / static_cast<double>(n_at_once)};
    std::vector<LatentMixture> found(tasks.size());
    parallel_for(tasks.size(), n_crews, control, [&](std::size_t i) {
        found[i] = Learning(tasks[i], table, own_limits, control).run();
    });
    return found;
}

LatentGradients latent_gradients(const LatentMixtureTask& task, const RowTable& table,
                                 const RowLimits& limits, RunControl& control) {
    return Learning(task, table, limits, control).gradients();
}

}  // namespace baytree
