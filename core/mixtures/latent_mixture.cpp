#include "mixtures/latent_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "inference/expected_counts.hpp"
#include "inference/row_inference.hpp"
#include "inference/row_network.hpp"
#include "inference/tabular_network.hpp"
#include "mixtures/decoder.hpp"
#include "mixtures/family_entries.hpp"
#include "mixtures/latent_tables.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

constexpr double first_rate = 0.04;  // of the learning rate
constexpr double warm_up = 0.1;      // of the steps, in which the rate rises
constexpr double added_count = 0.5;  // to each state, for the logits at the start
constexpr float impossible = -1e30F;
constexpr double weight_rate = 0.02;  // of a batch, in the weights of the components
constexpr double least_weight = 1e-9;
constexpr std::size_t rows_at_once = 512;
constexpr std::size_t rows_at_once_in_haste = 32;
constexpr double evaluation_share = 0.005;  // of the time to the deadline, for each evaluation
constexpr std::size_t parameters_at_once = 1 << 14;

enum Stream : std::uint64_t { of_weights, of_rows, of_points, of_held_out };

/// The rows of a table that have a weight above zero.
std::vector<std::size_t> weighted_rows(std::span<const double> weights, std::size_t n_rows) {
    if (weights.size() != n_rows) throw std::invalid_argument("weights must be as many as rows");
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < n_rows; ++row)
        if (weights[row] > 0.0) rows.push_back(row);
    return rows;
}

RowCodes row_codes(const RowTable& table, std::span<const std::size_t> rows,
                   const std::vector<std::uint32_t>& arities) {
    RowCodes found{{}, rows.size(), arities.size()};
    if (table.codes.size() != table.n_rows * arities.size())
        throw std::invalid_argument("a table must have a column for every variable");
    found.codes.resize(rows.size() * arities.size());
    for (VariableId variable = 0; variable < arities.size(); ++variable)
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t code = table.column(variable)[rows[i]];
            if (code >= static_cast<std::int32_t>(arities[variable]))
                throw std::invalid_argument("a code is no state");
            found.codes[i * arities.size() + variable] =
                code < 0 ? RowCodes::missing : static_cast<std::uint16_t>(code);
        }
    return found;
}

/// Some rows of a table: those without missing cells as entries, the others by number.
struct Batch {
    std::vector<std::uint32_t> entries;
    std::vector<double> weights;  // of the complete rows
    std::vector<std::size_t> incomplete;
    double total_weight = 0.0;

    std::size_t n_complete() const noexcept { return weights.size(); }
};

class WeightedRows {
public:
    WeightedRows(const RowTable& table, std::span<const double> weights,
                 const FamilyEntries& entries)
        : entries_(&entries) {
        const auto rows = weighted_rows(weights, table.n_rows);
        codes_ = row_codes(table, rows, entries.arities());
        for (const std::size_t row : rows) weights_.push_back(weights[row]);
    }

    std::size_t n_rows() const noexcept { return codes_.n_rows; }
    double weight(std::size_t row) const noexcept { return weights_[row]; }
    const std::uint16_t* codes(std::size_t row) const noexcept { return codes_.row(row); }

    void load(std::span<const std::size_t> rows, Batch& batch) const {
        const std::size_t n = entries_->n_variables();
        batch.entries.clear();
        batch.weights.clear();
        batch.incomplete.clear();
        batch.total_weight = 0.0;
        for (const std::size_t row : rows) {
            batch.total_weight += weights_[row];
            const std::uint16_t* codes = codes_.row(row);
            if (std::find(codes, codes + n, RowCodes::missing) != codes + n) {
                batch.incomplete.push_back(row);
                continue;
            }
            batch.entries.resize(batch.entries.size() + n);
            entries_->find(codes, batch.entries.data() + batch.entries.size() - n);
            batch.weights.push_back(weights_[row]);
        }
    }

    /// Logits of the states of each family as they occur, against those of the first state.
    std::vector<float> base_logits() const {
        std::vector<double> counts(entries_->n_entries(), added_count);
        Batch batch;
        std::vector<std::size_t> rows(1);
        for (std::size_t row = 0; row < n_rows(); ++row) {
            rows[0] = row;
            load(rows, batch);
            for (const std::uint32_t entry : batch.entries) counts[entry] += weights_[row];
        }
        std::vector<float> logits;
        for (const auto& family : entries_->families())
            for (std::size_t i = 0; i < family.n_configurations; ++i) {
                const double* own = counts.data() + family.first_entry + i * family.arity;
                for (std::size_t state = 1; state < family.arity; ++state)
                    logits.push_back(static_cast<float>(std::log(own[state] / own[0])));
            }
        return logits;
    }

private:
    const FamilyEntries* entries_;
    RowCodes codes_;
    std::vector<double> weights_;
};

/// For calls within a task: ends with it, and leaves the heartbeat to the calling thread of all.
class InnerControl {
public:
    explicit InnerControl(const RunControl& outer)
        : control_(std::nullopt, [&outer](RunControl& own) {
              if (outer.stop_requested()) own.request_stop();
          }) {}
    operator RunControl&() noexcept { return control_; }

private:
    RunControl control_;
};

/// All components of a mixture, in groups of `n_lanes`.
class Components {
public:
    Components(const LatentMixtureShape& shape, const FamilyEntries& entries,
               const Decoder& decoder, InstructionSet instructions, int n_threads)
        : shape_(&shape),
          entries_(&entries),
          decoder_(&decoder),
          kernels_(&lane_kernels(instructions)),
          n_threads_(n_threads),
          weights_(shape.n_components(), 1.0 / static_cast<double>(shape.n_components())) {
        const std::size_t n_groups = (shape.n_components() + n_lanes - 1) / n_lanes;
        for (std::size_t i = 0; i < n_groups; ++i)
            groups_.push_back({LatentTables(entries, decoder, *kernels_), {}, {}, {}});
    }

    /// Tables at the points, all moved in one direction around the unit cube.
    void move_points(std::span<const double> shift) {
        for_each_group([&](std::size_t g) {
            Group& group = groups_[g];
            group.points.assign(shape_->n_latent * n_lanes, 0.0F);
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                const std::size_t component = g * n_lanes + lane;
                if (component >= shape_->n_components()) break;
                for (std::size_t i = 0; i < shape_->n_latent; ++i) {
                    double place = shape_->points[component * shape_->n_latent + i] + shift[i];
                    place -= std::floor(place);
                    group.points[i * n_lanes + lane] =
                        static_cast<float>((2.0 * place - 1.0) * std::numbers::sqrt3);
                }
            }
            group.tables.set_points(*decoder_, group.points);
        });
    }

    /// Weighted log-likelihood of the complete rows of a batch. `keeps_shares` turns the sums into
    /// the weighted shares of the components in each row.
    double add_complete(const Batch& batch, bool keeps_shares) {
        const RowEntries rows{batch.entries.data(), batch.n_complete(), entries_->n_variables()};
        for_each_group([&](std::size_t g) {
            groups_[g].sums.resize(rows.n_rows * n_lanes);
            groups_[g].tables.log_likelihoods(rows, groups_[g].sums.data());
            add_log_weights(g, rows.n_rows);
        });
        likelihoods_.resize(rows.n_rows);
        for_each_part(rows.n_rows, rows_at_once, [&](std::size_t row) {
            likelihoods_[row] = mix(row, batch.weights[row], keeps_shares);
        });
        return std::reduce(likelihoods_.begin(), likelihoods_.end());
    }

    /// Weighted log-likelihood of the incomplete rows of a batch, and their expected counts.
    ExpectedCounts count_incomplete(const WeightedRows& rows, const Batch& batch,
                                    const RowLimits& limits, const RunControl& control) const {
        std::vector<double> weights;
        const std::vector<std::int32_t> codes = codes_of(rows, batch.incomplete, &weights);
        const RowTable table{codes, batch.incomplete.size()};
        InnerControl inner(control);
        return expected_counts(row_network(), table, weights, limits, inner);
    }

    double likelihood_of_incomplete(const WeightedRows& rows, const Batch& batch,
                                    const RowLimits& limits, const RunControl& control) const {
        std::vector<double> weights;
        const std::vector<std::int32_t> codes = codes_of(rows, batch.incomplete, &weights);
        InnerControl inner(control);
        const auto found =
            log_likelihoods(row_network(), {codes, batch.incomplete.size()}, limits, inner);
        return std::inner_product(found.begin(), found.end(), weights.begin(), 0.0);
    }

    /// Gradients of the mean log-likelihood of a batch, which was added before.
    void find_gradients(const Batch& batch, const ExpectedCounts& of_incomplete,
                        std::vector<float>& sums) {
        const RowEntries rows{batch.entries.data(), batch.n_complete(), entries_->n_variables()};
        const auto scale = static_cast<float>(1.0 / batch.total_weight);
        for_each_group([&](std::size_t g) {
            Group& group = groups_[g];
            group.tables.clear_counts();
            group.tables.add_counts(rows, group.sums.data());
            if (!of_incomplete.counts.empty()) add_counts(g, of_incomplete.counts);
            group.tables.back_propagate(*decoder_, scale, group.gradients);
        });
        sums.resize(decoder_->parameters().size());
        for_each_part(sums.size(), parameters_at_once, [&](std::size_t i) {
            float sum = 0.0F;
            for (const Group& group : groups_) sum += group.gradients[i];
            sums[i] = sum;
        });
    }

    const std::vector<double>& weights() const noexcept { return weights_; }
    void set_weights(const std::vector<double>& weights) { weights_ = weights; }

    /// Moves the weights towards the shares of the components in a batch, which was added before.
    void move_weights(const Batch& batch, const ExpectedCounts& of_incomplete) {
        const std::size_t n = weights_.size();
        double sum = 0.0;
        for (std::size_t component = 0; component < n; ++component) {
            const Group& group = groups_[component / n_lanes];
            double share = 0.0;
            for (std::size_t row = 0; row < batch.n_complete(); ++row)
                share += double{group.sums[row * n_lanes + component % n_lanes]};
            if (!of_incomplete.counts.empty())  // those of the component come last
                share += of_incomplete.counts[of_incomplete.counts.size() - n + component];
            weights_[component] += weight_rate * (share / batch.total_weight - weights_[component]);
            weights_[component] = std::max(weights_[component], least_weight);
            sum += weights_[component];
        }
        for (double& weight : weights_) weight /= sum;
    }

    /// Tables by variable, with the component as the last parent.
    std::vector<std::vector<double>> tables() const {
        const std::size_t n_components = shape_->n_components();
        std::vector<std::vector<double>> tables;
        for (const auto& family : entries_->families()) {
            auto& table = tables.emplace_back();
            table.reserve(std::size_t{family.n_configurations} * n_components * family.arity);
            for (std::size_t i = 0; i < family.n_configurations; ++i)
                for (std::size_t component = 0; component < n_components; ++component)
                    add_distribution(family.first_entry + i * family.arity, family.arity, component,
                                     table);
        }
        return tables;
    }

    template <class Visit>
    void for_each_part(std::size_t n, std::size_t part, const Visit& visit) {
        parallel_for((n + part - 1) / part, n_threads_, [&](std::size_t number) {
            const std::size_t last = std::min((number + 1) * part, n);
            for (std::size_t i = number * part; i < last; ++i) visit(i);
        });
    }

private:
    struct Group {
        LatentTables tables;
        std::vector<float> points, sums, gradients;
    };

    template <class Visit>
    void for_each_group(const Visit& visit) {
        parallel_for(groups_.size(), n_threads_, visit);
    }

    /// The last group may have more lanes than there are components.
    void add_log_weights(std::size_t g, std::size_t n_rows) {
        float logarithms[n_lanes];
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const std::size_t component = g * n_lanes + lane;
            logarithms[lane] = component < weights_.size()
                                   ? static_cast<float>(std::log(weights_[component]))
                                   : impossible;
        }
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t lane = 0; lane < n_lanes; ++lane)
                groups_[g].sums[row * n_lanes + lane] += logarithms[lane];
    }

    double mix(std::size_t row, double weight, bool keeps_shares) {
        float top = impossible;
        for (const Group& group : groups_)
            top = std::max(top, kernels_->largest(group.sums.data() + row * n_lanes));
        float sum = 0.0F;
        for (Group& group : groups_)
            sum += kernels_->exponentials(group.sums.data() + row * n_lanes, top);
        if (keeps_shares) {
            const float share = static_cast<float>(weight) / sum;
            for (Group& group : groups_)
                for (std::size_t lane = 0; lane < n_lanes; ++lane)
                    group.sums[row * n_lanes + lane] *= share;
        }
        return weight * (double{top} + std::log(double{sum}));
    }

    void add_distribution(std::size_t entry, std::size_t arity, std::size_t component,
                          std::vector<double>& table) const {
        const Group& group = groups_[component / n_lanes];
        const std::size_t first = table.size();
        double sum = 0.0;
        for (std::size_t state = 0; state < arity; ++state) {
            table.push_back(
                std::exp(double{group.tables.logarithm(entry + state, component % n_lanes)}));
            sum += table.back();
        }
        for (std::size_t i = first; i < table.size(); ++i) table[i] /= sum;
    }

    /// The mixture as a network in which the component is a parent of all.
    RowNetwork row_network() const {
        const std::size_t n = entries_->n_variables();
        const auto n_components = static_cast<std::uint32_t>(shape_->n_components());
        auto arities = entries_->arities();
        arities.push_back(n_components);
        auto parents = entries_->parents();
        for (auto& own : parents) own.push_back(static_cast<VariableId>(n));
        parents.emplace_back();
        auto all = tables();
        all.push_back(weights_);
        auto order = shape_->elimination_order;
        order.push_back(static_cast<VariableId>(n));
        return {TabularNetwork(std::move(arities), std::move(parents), std::move(all)), order};
    }

    /// Column by column, with the component, which is missing everywhere.
    std::vector<std::int32_t> codes_of(const WeightedRows& rows,
                                       std::span<const std::size_t> numbers,
                                       std::vector<double>* weights) const {
        const std::size_t n = entries_->n_variables();
        std::vector<std::int32_t> codes((n + 1) * numbers.size(), -1);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            weights->push_back(rows.weight(numbers[i]));
            const std::uint16_t* own = rows.codes(numbers[i]);
            for (std::size_t variable = 0; variable < n; ++variable)
                if (own[variable] != RowCodes::missing)
                    codes[variable * numbers.size() + i] = own[variable];
        }
        return codes;
    }

    /// `counts` lie as RowNetwork has them.
    void add_counts(std::size_t g, const std::vector<double>& counts) {
        const std::size_t n_components = shape_->n_components();
        const std::size_t n_used = std::min(n_lanes, n_components - g * n_lanes);
        float* own = groups_[g].tables.counts().data();
        for (const auto& family : entries_->families())
            for (std::size_t i = 0; i < family.n_configurations; ++i)
                for (std::size_t lane = 0; lane < n_used; ++lane)
                    for (std::size_t state = 0; state < family.arity; ++state) {
                        const std::size_t entry = family.first_entry + i * family.arity;
                        const std::size_t from =
                            entry * n_components + (g * n_lanes + lane) * family.arity + state;
                        own[(entry + state) * n_lanes + lane] += static_cast<float>(counts[from]);
                    }
    }

    const LatentMixtureShape* shape_;
    const FamilyEntries* entries_;
    const Decoder* decoder_;
    const LaneKernels* kernels_;
    int n_threads_;
    std::vector<double> weights_;  // of the components
    std::vector<Group> groups_;
    std::vector<double> likelihoods_;
};

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
    WeightedRows rows_, held_out_;
    RandomStream weight_stream_, row_stream_, point_stream_, held_out_stream_;
    Decoder decoder_;
    DecoderSteps steps_;
    Components components_, all_;  // those of a step, and those that are the result
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
