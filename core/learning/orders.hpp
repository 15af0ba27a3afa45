#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace baytree {

/// All orders of so many things, numbered.
class Orders {
public:
    using Order = std::vector<std::size_t>;  // things by place

    explicit Orders(std::size_t size);

    std::size_t size() const { return orders_.size(); }
    const Order& operator[](std::size_t number) const { return orders_[number]; }

    /// The number, among the orders of one thing less, of an order that loses one thing.
    static std::size_t without(Order order, std::size_t thing, const Orders& fewer);

private:
    std::vector<Order> orders_;
    std::map<Order, std::size_t> numbers_;
};

}  // namespace baytree
