#include "mixtures/decoder.hpp"

#include <algorithm>
#include <cmath>

namespace baytree {

namespace {

constexpr double output_scale = 0.5;  // the components differ little at the start
constexpr double mean_decay = 0.9;
constexpr double square_decay = 0.999;
constexpr float least_root = 1e-8F;
constexpr float least_mean = 1e-25F;    // smaller ones would soon be no normal numbers, which take
constexpr float added_square = 1e-30F;  // a hundred times as long

}  // namespace

Decoder::Decoder(std::size_t n_latent, std::size_t n_hidden, std::span<const float> base,
                 RandomStream& random) {
    const LayerShape shapes[] = {
        {n_latent, n_hidden}, {n_hidden, n_hidden}, {n_hidden, base.size()}};
    for (const LayerShape& shape : shapes) {
        const std::size_t n_weights = shape.n_in * shape.n_out;
        layers_.push_back({shape, parameters_.size(), parameters_.size() + n_weights});
        const bool is_last = layers_.size() == std::size(shapes);
        const double bound =
            (is_last ? output_scale : 1.0) / std::sqrt(static_cast<double>(shape.n_in));
        for (std::size_t i = 0; i < n_weights; ++i)
            parameters_.push_back(static_cast<float>(bound * (2.0 * random.uniform() - 1.0)));
        if (is_last)
            parameters_.insert(parameters_.end(), base.begin(), base.end());
        else
            parameters_.resize(parameters_.size() + shape.n_out, 0.0F);
    }
}

DecoderPass::DecoderPass(const Decoder& decoder, const LaneKernels& kernels) : kernels_(&kernels) {
    for (const auto& layer : decoder.layers()) values_.emplace_back(layer.shape.n_in * n_lanes);
    values_.emplace_back(decoder.n_logits() * n_lanes);
}

std::span<const float> DecoderPass::logits(const Decoder& decoder, std::span<const float> points) {
    std::ranges::copy(points, values_.front().begin());
    const auto& layers = decoder.layers();
    const float* parameters = decoder.parameters().data();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        kernels_->apply(layers[i].shape, parameters + layers[i].first_weight,
                        parameters + layers[i].first_bias, values_[i].data(),
                        values_[i + 1].data());
        if (i + 1 < layers.size()) kernels_->rectify(values_[i + 1].data(), layers[i].shape.n_out);
    }
    return values_.back();
}

/// Lays the values of each lane behind each other.
void DecoderPass::turn(std::span<const float> values) {
    const std::size_t n = values.size() / n_lanes;
    turned_.resize(values.size());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t lane = 0; lane < n_lanes; ++lane)
            turned_[lane * n + i] = values[i * n_lanes + lane];
}

void DecoderPass::back_propagate(const Decoder& decoder, std::span<const float> of_logits,
                                 std::vector<float>& gradients) {
    gradients.assign(decoder.parameters().size(), 0.0F);
    gradients_.assign(of_logits.begin(), of_logits.end());
    const auto& layers = decoder.layers();
    for (std::size_t i = layers.size(); i-- > 0;) {
        const auto& layer = layers[i];
        turn(values_[i]);
        kernels_->add_products(layer.shape, gradients_.data(), turned_.data(),
                               gradients.data() + layer.first_weight,
                               gradients.data() + layer.first_bias);
        if (i == 0) break;
        before_.resize(layer.shape.n_in * n_lanes);
        kernels_->apply_transposed(layer.shape, decoder.parameters().data() + layer.first_weight,
                                   gradients_.data(), before_.data());
        kernels_->rectify_gradients(values_[i].data(), before_.data(), layer.shape.n_in);
        std::swap(gradients_, before_);
    }
}

void DecoderSteps::begin(double learning_rate, double weight_decay) {
    ++n_steps_;
    const auto n = static_cast<double>(n_steps_);
    rate_ = static_cast<float>(learning_rate / (1.0 - std::pow(mean_decay, n)));
    root_scale_ = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(square_decay, n)));
    decay_ = static_cast<float>(1.0 - learning_rate * weight_decay);
}

void DecoderSteps::move(std::span<float> parameters, std::span<const float> gradients,
                        std::size_t first, std::size_t last) {
    constexpr auto keep_mean = static_cast<float>(mean_decay);
    constexpr auto keep_square = static_cast<float>(square_decay);
    for (std::size_t i = first; i < last; ++i) {
        const float mean = keep_mean * means_[i] + (1.0F - keep_mean) * gradients[i];
        means_[i] = std::abs(mean) < least_mean ? 0.0F : mean;
        squares_[i] = keep_square * squares_[i] +
                      (1.0F - keep_square) * gradients[i] * gradients[i] + added_square;
        parameters[i] = decay_ * parameters[i] +
                        rate_ * means_[i] / (std::sqrt(squares_[i]) * root_scale_ + least_root);
    }
}

}  // namespace baytree
