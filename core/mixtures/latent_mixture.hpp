#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inference/row_blocks.hpp"
#include "mixtures/latent_components.hpp"
#include "runtime/instruction_set.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// How to learn a mixture whose components have one structure, and tables that are functions of a
/// point in a latent space ([continuous-mixtures]).
struct LatentMixtureOptions {
    std::size_t n_hidden = 64;
    std::size_t n_steps = 1000;
    std::size_t batch_size = 256;
    double learning_rate = 3e-3;
    double weight_decay = 1e-3;
    /// Points of a step, which move at random around the unit cube from step to step; the tables
    /// are those at the points that were given. If these are no more, they are the points of a
    /// step, and do not move at the end of the steps.
    std::size_t n_moving = 256;
    double still_fraction = 0.3;
    /// Whether components have weights that are learned, else equal ones. For points that are no
    /// more than those of a step.
    bool learns_weights = false;
    /// How many times the held-out rows are looked at.
    std::size_t n_evaluations = 40;
    /// Ends after so many evaluations without a better one.
    std::size_t patience = 10;
    std::uint64_t seed = 0;
    InstructionSet instruction_set = best_instruction_set();
};

/// One of several mixtures that are learned from the same rows. A row counts by its weight among
/// those to learn from, and by another one among those that are held out; zero leaves it out.
struct LatentMixtureTask {
    LatentMixtureShape shape;
    LatentMixtureOptions options;
    std::vector<double> weights, held_out_weights;
};

struct LatentMixture {
    /// By variable: as RowNetwork has them where the component is the last variable and a parent of
    /// all.
    std::vector<std::vector<double>> tables;
    std::vector<double> weights;  // of the components
    struct Evaluation {
        std::size_t step;
        double seconds;
        double held_out;  // mean log-likelihood of the held-out rows
    };
    std::vector<Evaluation> history;
    double held_out = 0.0;  // of these tables
    std::size_t n_steps = 0;
};

/// For each task the tables that make the held-out rows most probable, of those that stochastic
/// gradient ascent passes on the exact likelihood of the observed cells. `table` has no column for
/// the component. The result does not depend on the number of threads or the instruction set. Under
/// a deadline, the steps of each task are fitted into the time. After a stop request, the best so
/// far. Throws RowsTooLarge where the missing cells of a row would take more memory than the limits
/// allow.
std::vector<LatentMixture> learn_latent_mixtures(const std::vector<LatentMixtureTask>& tasks,
                                                 const RowTable& table, const RowLimits& limits,
                                                 RunControl& control);

/// Mean log-likelihood of the rows to learn from before the first step, and its gradients with
/// respect to the parameters of the decoder.
struct LatentGradients {
    double mean;
    std::vector<float> parameters, gradients;
};

/// Of a task with as many points in a step as it has components.
LatentGradients latent_gradients(const LatentMixtureTask& task, const RowTable& table,
                                 const RowLimits& limits, RunControl& control);

}  // namespace baytree
