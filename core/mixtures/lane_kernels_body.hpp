#pragma once

// The body of the kernels, included by one source file per instruction set, behind the number of
// floats of its vectors. Everything sits in an unnamed namespace and no standard-library function
// is called: code compiled for new processors must not leak, as a merged inline function, into what
// old processors run. Vectors are those that GCC and Clang know on every processor.

#include "mixtures/lane_kernels.hpp"

namespace baytree {
namespace {

using Floats = float __attribute__((vector_size(vector_floats * sizeof(float))));
using Integers = std::int32_t __attribute__((vector_size(vector_floats * sizeof(float))));

constexpr std::size_t n_vectors = n_lanes / vector_floats;
constexpr std::size_t outputs_at_once = 4;
constexpr std::size_t vectors_at_once = 2;
constexpr float least_power = -40.0F;  // numbers that are not normal take a hundred times as long

inline Floats load(const float* values) {
    Floats loaded;
    __builtin_memcpy(&loaded, values, sizeof loaded);
    return loaded;
}

inline void store(float* values, Floats stored) {
    __builtin_memcpy(values, &stored, sizeof stored);
}

inline Floats all(float value) { return Floats{} + value; }
inline Floats larger(Floats a, Floats b) { return a > b ? a : b; }
inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }

/// exp(x), to about two units in the last place ([cephes]); x is cut to what a float can hold.
inline Floats exponential(Floats x) {
    x = larger(smaller(x, all(88.0F)), all(-87.0F));
    const Floats scaled = x * 1.44269504F;
    const Floats half = scaled < 0.0F ? all(-0.5F) : all(0.5F);
    const Integers power = __builtin_convertvector(scaled + half, Integers);
    const Floats n = __builtin_convertvector(power, Floats);
    const Floats rest = x - n * 0.693359375F - n * -2.12194440e-4F;
    Floats sum = all(1.9875691500e-4F);
    sum = sum * rest + 1.3981999507e-3F;
    sum = sum * rest + 8.3334519073e-3F;
    sum = sum * rest + 4.1665795894e-2F;
    sum = sum * rest + 1.6666665459e-1F;
    sum = sum * rest + 5.0000001201e-1F;
    const Floats value = sum * rest * rest + rest + 1.0F;
    return value * __builtin_bit_cast(Floats, (power + 127) << 23);
}

/// log(x) for a normal x > 0, to about two units in the last place ([cephes]).
inline Floats logarithm(Floats x) {
    const auto bits = __builtin_bit_cast(Integers, x);
    // The mantissa lies between the square roots of 1/2 and 2.
    const Integers power = (bits - 0x3F3504F3) >> 23;
    const Floats m = __builtin_bit_cast(Floats, bits - (power << 23)) - 1.0F;
    const Floats n = __builtin_convertvector(power, Floats);
    Floats sum = all(7.0376836292e-2F);
    sum = sum * m - 1.1514610310e-1F;
    sum = sum * m + 1.1676998740e-1F;
    sum = sum * m - 1.2420140846e-1F;
    sum = sum * m + 1.4249322787e-1F;
    sum = sum * m - 1.6668057665e-1F;
    sum = sum * m + 2.0000714765e-1F;
    sum = sum * m - 2.4999993993e-1F;
    sum = sum * m + 3.3333331174e-1F;
    const Floats square = m * m;
    return sum * m * square - 2.12194440e-4F * n - 0.5F * square + m + 0.693359375F * n;
}

/// In the same order for vectors of any length.
inline float sum_of_lanes(const float* values) {
    float sums[8] = {};
    for (std::size_t i = 0; i < n_lanes; i += 8)
        for (std::size_t j = 0; j < 8; ++j) sums[j] += values[i + j];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// Where the weights of a layer are, from which side it is looked at.
struct WeightView {
    const float* weights;
    std::size_t output_stride, input_stride;
};

/// out[i] = start[i] + sum over j of weight(i, j) * in[j], for the first `n` outputs.
template <std::size_t n>
inline void weighted_sums(WeightView view, const float* start, const float* in, std::size_t n_in,
                          float* out) {
    constexpr std::size_t step = vectors_at_once * vector_floats;
    for (std::size_t lane = 0; lane < n_lanes; lane += step) {
        Floats sums[n][vectors_at_once];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t v = 0; v < vectors_at_once; ++v)
                sums[i][v] = all(start == nullptr ? 0.0F : start[i]);
        for (std::size_t j = 0; j < n_in; ++j) {
            const float* values = in + j * n_lanes + lane;
            Floats loaded[vectors_at_once];
            for (std::size_t v = 0; v < vectors_at_once; ++v)
                loaded[v] = load(values + v * vector_floats);
            for (std::size_t i = 0; i < n; ++i) {
                const float weight = view.weights[i * view.output_stride + j * view.input_stride];
                for (std::size_t v = 0; v < vectors_at_once; ++v) sums[i][v] += weight * loaded[v];
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t v = 0; v < vectors_at_once; ++v)
                store(out + i * n_lanes + lane + v * vector_floats, sums[i][v]);
    }
}

void apply(LayerShape shape, const float* weights, const float* bias, const float* in, float* out) {
    const std::size_t n_in = shape.n_in;
    std::size_t i = 0;
    for (; i + outputs_at_once <= shape.n_out; i += outputs_at_once)
        weighted_sums<outputs_at_once>({weights + i * n_in, n_in, 1}, bias + i, in, n_in,
                                       out + i * n_lanes);
    for (; i < shape.n_out; ++i)
        weighted_sums<1>({weights + i * n_in, n_in, 1}, bias + i, in, n_in, out + i * n_lanes);
}

void apply_transposed(LayerShape shape, const float* weights, const float* out, float* in) {
    const std::size_t n_in = shape.n_in;
    std::size_t i = 0;
    for (; i + outputs_at_once <= n_in; i += outputs_at_once)
        weighted_sums<outputs_at_once>({weights + i, 1, n_in}, nullptr, out, shape.n_out,
                                       in + i * n_lanes);
    for (; i < n_in; ++i)
        weighted_sums<1>({weights + i, 1, n_in}, nullptr, out, shape.n_out, in + i * n_lanes);
}

/// The weights of some inputs of an output: what all lanes add.
template <std::size_t n>
inline void add_lane_products(const float* out, const float* lanes_in, std::size_t n_in,
                              float* weights) {
    Floats sums[n];
    for (std::size_t v = 0; v < n; ++v) sums[v] = load(weights + v * vector_floats);
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
        for (std::size_t v = 0; v < n; ++v)
            sums[v] += out[lane] * load(lanes_in + lane * n_in + v * vector_floats);
    for (std::size_t v = 0; v < n; ++v) store(weights + v * vector_floats, sums[v]);
}

void add_products(LayerShape shape, const float* out, const float* lanes_in, float* weights,
                  float* bias) {
    constexpr std::size_t n = 4;
    const std::size_t n_in = shape.n_in;
    for (std::size_t i = 0; i < shape.n_out; ++i) {
        const float* gradients = out + i * n_lanes;
        float* own = weights + i * n_in;
        std::size_t j = 0;
        for (; j + n * vector_floats <= n_in; j += n * vector_floats)
            add_lane_products<n>(gradients, lanes_in + j, n_in, own + j);
        for (; j + vector_floats <= n_in; j += vector_floats)
            add_lane_products<1>(gradients, lanes_in + j, n_in, own + j);
        for (; j < n_in; ++j)
            for (std::size_t lane = 0; lane < n_lanes; ++lane)
                own[j] += gradients[lane] * lanes_in[lane * n_in + j];
        bias[i] += sum_of_lanes(gradients);
    }
}

void rectify(float* values, std::size_t n) {
    for (std::size_t i = 0; i < n * n_lanes; i += vector_floats) {
        const Floats loaded = load(values + i);
        store(values + i, larger(loaded, leaky_slope * loaded));
    }
}

void rectify_gradients(const float* values, float* gradients, std::size_t n) {
    for (std::size_t i = 0; i < n * n_lanes; i += vector_floats) {
        const Floats slope = load(values + i) > 0.0F ? all(1.0F) : all(leaky_slope);
        store(gradients + i, load(gradients + i) * slope);
    }
}

void log_distribution(const float* logits, std::size_t arity, float* logarithms) {
    for (std::size_t lane = 0; lane < n_lanes; lane += vector_floats) {
        Floats top{};
        for (std::size_t state = 0; state + 1 < arity; ++state)
            top = larger(top, load(logits + state * n_lanes + lane));
        Floats sum = exponential(-top);
        for (std::size_t state = 0; state + 1 < arity; ++state)
            sum += exponential(load(logits + state * n_lanes + lane) - top);
        const Floats whole = top + logarithm(sum);
        store(logarithms + lane, -whole);
        for (std::size_t state = 1; state < arity; ++state)
            store(logarithms + state * n_lanes + lane,
                  load(logits + (state - 1) * n_lanes + lane) - whole);
    }
}

void logit_gradients(const float* counts, const float* logarithms, std::size_t arity, float scale,
                     float* gradients) {
    for (std::size_t lane = 0; lane < n_lanes; lane += vector_floats) {
        Floats total{};
        for (std::size_t state = 0; state < arity; ++state)
            total += load(counts + state * n_lanes + lane);
        for (std::size_t state = 1; state < arity; ++state) {
            const std::size_t i = state * n_lanes + lane;
            store(gradients + i - n_lanes,
                  scale * (load(counts + i) - total * exponential(load(logarithms + i))));
        }
    }
}

void sum_entries(RowEntries rows, const float* table, float* sums) {
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const std::uint32_t* entries = rows.entries + row * rows.n_families;
        Floats own[n_vectors] = {};
        for (std::size_t i = 0; i < rows.n_families; ++i) {
            const float* values = table + std::size_t{entries[i]} * n_lanes;
            for (std::size_t v = 0; v < n_vectors; ++v) own[v] += load(values + v * vector_floats);
        }
        for (std::size_t v = 0; v < n_vectors; ++v)
            store(sums + row * n_lanes + v * vector_floats, own[v]);
    }
}

void add_shares(RowEntries rows, const float* shares, float* table) {
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const std::uint32_t* entries = rows.entries + row * rows.n_families;
        Floats own[n_vectors];
        for (std::size_t v = 0; v < n_vectors; ++v)
            own[v] = load(shares + row * n_lanes + v * vector_floats);
        for (std::size_t i = 0; i < rows.n_families; ++i) {
            float* values = table + std::size_t{entries[i]} * n_lanes;
            for (std::size_t v = 0; v < n_vectors; ++v)
                store(values + v * vector_floats, load(values + v * vector_floats) + own[v]);
        }
    }
}

float exponentials(float* values, float subtracted) {
    for (std::size_t lane = 0; lane < n_lanes; lane += vector_floats) {
        const Floats power = load(values + lane) - subtracted;
        store(values + lane, power < least_power ? Floats{} : exponential(power));
    }
    return sum_of_lanes(values);
}

float largest(const float* values) {
    float found = values[0];
    for (std::size_t lane = 1; lane < n_lanes; ++lane)
        found = values[lane] > found ? values[lane] : found;
    return found;
}

constexpr LaneKernels kernels_of_this_set{apply,
                                          apply_transposed,
                                          add_products,
                                          rectify,
                                          rectify_gradients,
                                          log_distribution,
                                          logit_gradients,
                                          sum_entries,
                                          add_shares,
                                          exponentials,
                                          largest};

}  // namespace
}  // namespace baytree
