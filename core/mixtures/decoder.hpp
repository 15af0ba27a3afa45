#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mixtures/lane_kernels.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

/// A small neural network from a point of the latent space to the logits of all tables of a
/// component: two hidden layers with leaky rectifiers, then a linear one.
class Decoder {
public:
    struct Layer {
        LayerShape shape;
        std::size_t first_weight, first_bias;  // among the parameters
    };

    /// `base` are the logits that all components have in common at the start.
    Decoder(std::size_t n_latent, std::size_t n_hidden, std::span<const float> base,
            RandomStream& random);

    const std::vector<Layer>& layers() const noexcept { return layers_; }
    std::size_t n_logits() const noexcept { return layers_.back().shape.n_out; }
    std::span<const float> parameters() const noexcept { return parameters_; }
    std::span<float> parameters() noexcept { return parameters_; }

private:
    std::vector<Layer> layers_;
    std::vector<float> parameters_;
};

/// One group of components on their way through a decoder, and their gradients on the way back.
class DecoderPass {
public:
    DecoderPass(const Decoder& decoder, const LaneKernels& kernels);

    /// `points` hold an array of lanes for each dimension. The logits stay until the next call.
    std::span<const float> logits(const Decoder& decoder, std::span<const float> points);

    /// After `logits`: sets `gradients` of all parameters, from those of the logits.
    void back_propagate(const Decoder& decoder, std::span<const float> of_logits,
                        std::vector<float>& gradients);

private:
    void turn(std::span<const float> values);

    const LaneKernels* kernels_;
    std::vector<std::vector<float>> values_;  // in front of each layer, and behind the last one
    std::vector<float> turned_, gradients_, before_;
};

/// Steps of a decoder along its gradients, as AdamW does them ([adamw]).
class DecoderSteps {
public:
    explicit DecoderSteps(std::size_t n_parameters)
        : means_(n_parameters),
          squares_(n_parameters) {}

    /// Begins the next step.
    void begin(double learning_rate, double weight_decay);
    /// Moves the parameters from `first` to `last`, towards higher values of what the gradients are
    /// of. Threads may move different parameters.
    void move(std::span<float> parameters, std::span<const float> gradients, std::size_t first,
              std::size_t last);

private:
    std::vector<float> means_, squares_;
    std::size_t n_steps_ = 0;
    float rate_ = 0.0F, decay_ = 0.0F, root_scale_ = 1.0F;
};

}  // namespace baytree
