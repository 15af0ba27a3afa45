#include "mixtures/latent_components.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "inference/row_inference.hpp"
#include "inference/tabular_network.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr float impossible = -1e30F;
constexpr double weight_rate = 0.02;  // of a batch, in the weights of the components
constexpr double least_weight = 1e-9;
constexpr std::size_t rows_at_once = 512;
constexpr std::size_t parameters_at_once = 1 << 14;

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

}  // namespace

template <class Visit>
void LatentComponents::for_each_part(std::size_t n, std::size_t part, const Visit& visit) {
    parallel_for((n + part - 1) / part, n_threads_, [&](std::size_t number) {
        const std::size_t last = std::min((number + 1) * part, n);
        for (std::size_t i = number * part; i < last; ++i) visit(i);
    });
}

template <class Visit>
void LatentComponents::for_each_group(const Visit& visit) {
    parallel_for(groups_.size(), n_threads_, visit);
}

LatentComponents::LatentComponents(const LatentMixtureShape& shape, const FamilyEntries& entries,
                                   const Decoder& decoder, InstructionSet instructions,
                                   int n_threads)
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

void LatentComponents::move_points(std::span<const double> shift) {
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

double LatentComponents::add_complete(const Batch& batch, bool keeps_shares) {
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

ExpectedCounts LatentComponents::count_incomplete(const BatchRows& rows, const Batch& batch,
                                                  const RowLimits& limits,
                                                  const RunControl& control) const {
    std::vector<double> weights;
    const std::vector<std::int32_t> codes = codes_of(rows, batch.incomplete, &weights);
    const RowTable table{codes, batch.incomplete.size()};
    InnerControl inner(control);
    return expected_counts(row_network(), table, weights, limits, inner);
}

double LatentComponents::likelihood_of_incomplete(const BatchRows& rows, const Batch& batch,
                                                  const RowLimits& limits,
                                                  const RunControl& control) const {
    std::vector<double> weights;
    const std::vector<std::int32_t> codes = codes_of(rows, batch.incomplete, &weights);
    InnerControl inner(control);
    const auto found =
        log_likelihoods(row_network(), {codes, batch.incomplete.size()}, limits, inner);
    return std::inner_product(found.begin(), found.end(), weights.begin(), 0.0);
}

void LatentComponents::find_gradients(const Batch& batch, const ExpectedCounts& of_incomplete,
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

void LatentComponents::move_weights(const Batch& batch, const ExpectedCounts& of_incomplete) {
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

std::vector<std::vector<double>> LatentComponents::tables() const {
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

/// The last group may have more lanes than there are components.
void LatentComponents::add_log_weights(std::size_t g, std::size_t n_rows) {
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

double LatentComponents::mix(std::size_t row, double weight, bool keeps_shares) {
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

void LatentComponents::add_distribution(std::size_t entry, std::size_t arity, std::size_t component,
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
RowNetwork LatentComponents::row_network() const {
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
std::vector<std::int32_t> LatentComponents::codes_of(const BatchRows& rows,
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
void LatentComponents::add_counts(std::size_t g, const std::vector<double>& counts) {
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

}  // namespace baytree
