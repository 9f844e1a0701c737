// SPDX-License-Identifier: BSD-3-Clause
// A class with members that cannot be sent, or that only a friend can send, with the messages of `dame suggest --struct all`;
// and datatypes of it that are made by hand.
#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

MPI_Datatype make_all_type(void);

namespace geometry {

struct shape { /* warning: (virtual functions of geometry::shape) is left out: the pointer to their table has a meaning in one process only; let the receiver make an object of the class */
    virtual ~shape() {}
    double area;
};
struct common {
    int k;
};
struct left : virtual common { /* warning: virtual_base.(class geometry::left) is left out: it has virtual base classes, or some that libclang does not show; give it members instead */
    int m;
};
template <typename T, int N> struct vec {
    T v[N];
    bool valid;
};

class all : public shape {
    friend MPI_Datatype(::make_all_type)(void);
    int secret; /* warning: secret is private: the code compiles where make_all_type() is a friend of geometry::all */
    struct part {
        short a;
        double b;
    } parts[2];

  public:
    vec<double, 3> position;
    std::array<std::complex<float>, 2> waves;
    std::pair<int, double> pair;
    std::vector<double> list; /* warning: list is left out: it is of a library's class, whose members are private or lead elsewhere; send its elements in a message of their own, such as data() of a vector */
    std::string name; /* warning: name is left out: it is of a library's class, whose members are private or lead elsewhere; send its elements in a message of their own, such as data() of a vector */
    int &reference; /* warning: reference is left out: it is a reference, which has a meaning in one process only; send the object that it leads to in a message of its own */
    left virtual_base;
    static int count;
};

} // namespace geometry

class communicator {
    MPI_Datatype pair_type;
    struct header {
        std::uint32_t version, count;
        bool last;
    };

  public:
    int declare_types()
    {
        const int n = 1;
        int lengths[n] = {2};
        MPI_Aint offsets[n] = {(MPI_Aint) offsetof(header, version)}; /* also count */
        MPI_Datatype types[n] = {MPI_UINT32_T};
        MPI_Type_create_struct(n, lengths, offsets, types, &pair_type);
        return MPI_Type_commit(&pair_type);
    }
};

void by_hand(const geometry::all &object, MPI_Datatype *type)
{
    const int n = 2;
    int lengths[n] = {1, 2};
    MPI_Aint base, displacements[n];
    MPI_Datatype types[n] = {MPI_DOUBLE, MPI_CXX_FLOAT_COMPLEX}, members;
    MPI_Get_address(&object, &base);
    MPI_Get_address(&object.area, &displacements[0]);
    MPI_Get_address(&object.waves, &displacements[1]);
    for (int i = 0; i < n; ++i)
        displacements[i] = MPI_Aint_diff(displacements[i], base);
    /* warning: secret is not sent
     * warning: parts is not sent
     * warning: position.v is not sent
     * warning: position.valid is not sent
     * warning: pair.first is not sent
     * warning: pair.second is not sent */
    MPI_Type_create_struct(n, lengths, displacements, types, &members);
    MPI_Type_create_resized(members, 0, sizeof(object), type);
}
