// Boost.MPI: the skeleton of a list is sent once, its content again and again, which is a datatype of absolute addresses.
#include <boost/mpi.hpp>
#include <boost/serialization/list.hpp>
#include <boost/serialization/vector.hpp>
#include <iostream>
#include <list>
#include <vector>

namespace mpi = boost::mpi;

int main()
{
    mpi::environment environment;
    mpi::communicator world;
    const int other = 1 - world.rank();
    std::list<std::vector<double>> mine;
    for (int i = 0; i < 40; i++) {
        mine.emplace_back(static_cast<size_t>(3 + i % 5), 0.0);
    }
    double sum = 0;
    if (world.rank() == 0) {
        world.send(other, 0, mpi::skeleton(mine));
    } else {
        world.recv(other, 0, mpi::skeleton(mine));
    }
    const mpi::content content = mpi::get_content(mine);
    for (int round = 0; round < 200; round++) {
        if (world.rank() == 0) {
            double value = round;
            for (auto &part : mine) {
                for (auto &x : part) {
                    x = value += 0.5;
                }
            }
            world.send(other, 1, content);
        } else {
            world.recv(other, 1, content);
            for (const auto &part : mine) {
                for (const auto &x : part) {
                    sum += x * (round + 1);
                }
            }
        }
    }
    std::cout.precision(17);
    std::cout << "rank " << world.rank() << ": " << sum << std::endl;
}
