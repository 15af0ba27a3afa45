#include "learning/orders.hpp"

#include <algorithm>
#include <numeric>

namespace baytree {

Orders::Orders(std::size_t size) {
    Order order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        numbers_.emplace(order, orders_.size());
        orders_.push_back(order);
    } while (std::ranges::next_permutation(order).found);
}

std::size_t Orders::without(Order order, std::size_t thing, const Orders& fewer) {
    std::erase(order, thing);
    for (std::size_t& other : order)
        if (other > thing) --other;
    return fewer.numbers_.at(order);
}

}  // namespace baytree
