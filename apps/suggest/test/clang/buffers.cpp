// C++ that a front end for C meets: member functions, templates, lambdas, dependent types, references, errors after mutation.
#include <mpi.h>

#include <cstring>
#include <functional>
#include <vector>

struct grid {
    int n, m;
    std::vector<double> values;
    double &at(int i, int j) { return values[i * m + j]; }
    const double *data() const { return values.data(); }
};

template <typename T, int N> struct small {
    T at[N];
    T &operator[](int i) { return at[i]; }
    static int bytes() { return sizeof(T) * N; }
};

class halo
{
  public:
    explicit halo(grid &g) : g_(g), buffer_(g.n) {}
    void send(int to);
    template <typename T> void pack(T *out, int n)
    {
        for (int i = 0; i < n; i++) out[i] = static_cast<T>(g_.at(i, 0)) + sizeof(T);
    }

  private:
    grid &g_;
    std::vector<double> buffer_;
};

void halo::send(int to)
{
    for (int i = 0; i < g_.n; i++) buffer_[i] = g_.at(i, 1);
    MPI_Send(buffer_.data(), g_.n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

void send_col(const double *__restrict a, int n, int m, int j, int to)
{
    std::vector<double> buf(n);
    for (int i = 0; i < n; i++) buf[i] = a[i * m + j];
    MPI_Send(buf.data(), n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

static void in_lambdas(double *a, int n, int to)
{
    small<double, 8> part;
    auto twice = [](auto x) { return x + x + sizeof(x); };
    std::function<void(double *)> fill = [&](double *out) {
        for (int i = 0; i < 8; i++) out[i] = twice(a[i * n]);
    };
    fill(part.at);
    for (auto &x : part.at) x += 1;
    double *moved = new double[8];
    std::memcpy(moved, part.at, small<double, 8>::bytes());
    MPI_Send(&moved[0], 8, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    delete[] moved;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    grid g{4, 8, std::vector<double>(32)};
    halo(g).send(MPI_PROC_NULL);
    send_col(g.data(), 4, 8, 1, MPI_PROC_NULL);
    in_lambdas(&g.at(0, 0), 4, MPI_PROC_NULL);
    MPI_Finalize();
}
