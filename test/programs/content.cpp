/* SPDX-License-Identifier: BSD-3-Clause */
// Boost.MPI: the skeleton of a list is sent once, its content again and again, which is a datatype of absolute addresses.
// content [PARTS [ROUNDS]]; prints the sum of what arrived, and the seconds.
#include <boost/mpi.hpp>
#include <boost/serialization/list.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdlib>
#include <iostream>
#include <list>
#include <vector>

namespace mpi = boost::mpi;

int main(int argc, char **argv)
{
    mpi::environment environment(argc, argv);
    const int parts = argc > 1 ? std::atoi(argv[1]) : 40, rounds = argc > 2 ? std::atoi(argv[2]) : 200;
    mpi::communicator world;
    const int other = 1 - world.rank();
    std::list<std::vector<double>> mine;
    for (int i = 0; i < parts; i++) {
        mine.emplace_back(static_cast<size_t>(3 + i % 5), 0.0);
    }
    double sum = 0;
    if (world.rank() == 0) {
        world.send(other, 0, mpi::skeleton(mine));
    } else {
        world.recv(other, 0, mpi::skeleton(mine));
    }
    double seconds = 0;
    const mpi::content content = mpi::get_content(mine);
    for (int round = 0; round < rounds; round++) {
        if (world.rank() == 0) {
            double value = round;
            for (auto &part : mine) {
                for (auto &x : part) {
                    x = value += 0.5;
                }
            }
            seconds -= MPI_Wtime();
            world.send(other, 1, content);
            seconds += MPI_Wtime();
        } else {
            seconds -= MPI_Wtime();
            world.recv(other, 1, content);
            seconds += MPI_Wtime();
            for (const auto &part : mine) {
                for (const auto &x : part) {
                    sum += x * (round + 1);
                }
            }
        }
    }
    std::cout.precision(17);
    std::cout << "rank " << world.rank() << ": " << sum << std::endl;
    double slowest = 0;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, world);
    if (world.rank() == 0) {
        std::cout << "seconds " << slowest << std::endl;
    }
}
