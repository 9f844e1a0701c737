! A ring, and whatever waits: with mpif.h, the module mpi (-DMODULE) or mpi_f08 (-DF08).
program calls
#ifdef F08
    use mpi_f08
#elif defined(MODULE)
    use mpi
#endif
    implicit none
#if !defined(F08) && !defined(MODULE)
    include 'mpif.h'
#endif
    integer, parameter :: n = 512, steps = 200
#ifdef F08
    type(MPI_Request) :: requests(4)
    type(MPI_Status) :: status
#else
    integer :: requests(4), status(MPI_STATUS_SIZE)
#endif
    double precision :: from(n, 2), to(n, 2), total, all
    integer :: rank, ranks, left, right, step, error, i, done
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    left = mod(rank + ranks - 1, ranks)
    right = mod(rank + 1, ranks)
    total = 0
    to = rank
    from = 0
    do step = 1, steps
        call MPI_Irecv(from(:, 1), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(1), error)
        call MPI_Irecv(from(:, 2), n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(2), error)
        call MPI_Isend(to(:, 1), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(3), error)
        call MPI_Isend(to(:, 2), n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(4), error)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error) ! halo
        do i = 1, n
            to(i, 1) = from(i, 2) + step
            to(i, 2) = from(i, 1) - 2 * step
        end do
        total = total + from(step, 1)
    end do
    call MPI_Sendrecv(to(:, 1), n, MPI_DOUBLE_PRECISION, left, 3, from(:, 1), n, MPI_DOUBLE_PRECISION, right, 3, &
                      MPI_COMM_WORLD, status, error)
    call MPI_Isend(to(:, 2), n, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1), error)
    call MPI_Recv(from(:, 2), n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, status, error)
    call MPI_Waitany(1, requests, done, status, error)
    total = total + from(1, 1) + from(2, 2) + done
    call MPI_Allreduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 0) print *, all
    call MPI_Finalize(error)
end program
