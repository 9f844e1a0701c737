/* C++: references, methods, vectors, templates. */
#include <mpi.h>
#include <vector>

template <typename T> class Matrix {
public:
    int nx, ny;
    T &operator()(int i, int j) { return values[i * ny + j]; }
    T *data() { return values.data(); }

private:
    std::vector<T> values;
};

template <typename T> void pack(T *to, const T *from, int n, int step)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i * step];
}

class Field {
public:
    void exchange(int peer);
    double at(int i, int j) const { return u[i * ny + j]; }
    int width() const { return nx; }

private:
    int nx, ny;
    std::vector<double> u;
};

void Field::exchange(int peer)
{
    std::vector<double> buffer(nx);
    for (int i = 0; i < width(); i++)
        buffer[i] = at(i, 1);
    MPI_Send(buffer.data(), nx, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); /* decided 1 7 */
    MPI_Recv(&buffer[0], nx, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* decided 1 7 */
    for (int i = 0; i < nx; i++)
        u[i * ny] = buffer[i];
}

void column(Matrix<double> &m, Matrix<double> &buffer, int peer)
{
    for (int i = 0; i < m.nx; i++)
        buffer(0, i) = m(i, 3);
    MPI_Send(buffer.data(), m.nx, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); /* decided 7 */
}

void by_template(double *u, int n, int peer)
{
    double *buffer = new double[n];
    pack(buffer, u, n, 4);
    MPI_Send(buffer, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); /* decided 7 */
    delete[] buffer;
}
