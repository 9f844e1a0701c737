! The same in Fortran: a face, a linearised one with mpif.h, a list, array sections, computed values.
subroutine linearised(line, n, rank)
    implicit none
    include 'mpif.h'
    integer :: n, rank, i, k, p, ierror, status(MPI_STATUS_SIZE)
    double precision :: line(n*n*n), buffer(3*n)
    p = 0
    if (rank == 0) then
        do k = 0, n - 1
            do i = 1, 3
                p = p + 1
                buffer(p) = line(i + n*(2 + n*k))
            end do
        end do
        call MPI_Send(buffer, p, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
    else
        call MPI_Recv(buffer, 3*n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, ierror)
        do k = 0, n - 1
            do i = 1, 3
                p = p + 1
                line(i + n*(2 + n*k)) = buffer(p)
            end do
        end do
    end if
end subroutine

subroutine face(g, nx, ny, nz, rank)
    use mpi
    implicit none
    integer :: nx, ny, nz, rank, j, k, p, ierror, request
    double precision :: g(5, -1:nx+2, -1:ny+2, nz), buffer(5*ny*nz)
    p = 0
    if (rank == 0) then
        do k = 1, nz
            do j = 1, ny
                buffer(p+1) = g(1, nx, j, k)
                buffer(p+2) = g(2, nx, j, k)
                buffer(p+3) = g(3, nx, j, k)
                buffer(p+4) = g(4, nx, j, k)
                buffer(p+5) = g(5, nx, j, k)
                p = p + 5
            end do
        end do
        call MPI_Isend(buffer, p, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierror)
        g(1, nx, 1, 1) = 0.5d0
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    else
        call MPI_Irecv(buffer, 5*ny*nz, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        do k = 1, nz
            do j = 1, ny
                g(:, -1, j, k) = buffer(p+1:p+5)
                p = p + 5
            end do
        end do
    end if
end subroutine

subroutine by_list(x, list, n, m, rank)
    use mpi
    implicit none
    integer :: n, m, rank, i, ierror
    integer :: list(m)
    real :: x(3, n), buffer(3, m)
    if (rank == 0) then
        do i = 1, m
            buffer(:, i) = x(:, list(i))
        end do
        call MPI_Send(buffer, 3*m, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierror)
        do i = 1, m
            buffer(:, i) = 2.0*x(:, list(i)) + 1.0
        end do
        call MPI_Send(buffer, 3*m, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierror)
    else
        do i = 1, 2
            call MPI_Recv(buffer, 3*m, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
            x(1, i) = sum(buffer)
        end do
    end if
end subroutine

program shapes
    use mpi
    implicit none
    integer, parameter :: n = 12, nx = 6, ny = 5, nz = 4, m = 9
    integer :: rank, ierror, i, list(m)
    double precision :: line(n*n*n), g(5, nx+4, ny+4, nz)
    real :: x(3, 40)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    do i = 1, n*n*n
        line(i) = sqrt(dble(i) + 0.7d0)
    end do
    call random(g, size(g))
    do i = 1, 40
        x(:, i) = [real(sqrt(i + 0.1)), real(sqrt(i + 0.2)), real(sqrt(i + 0.3))]
    end do
    list = [3, 17, 4, 31, 8, 22, 29, 9, 40]
    call linearised(line, n, rank)
    call face(g, nx, ny, nz, rank)
    call by_list(x, list, 40, m, rank)
    if (rank == 1) print '(3es25.17)', sum(line), sum(g), sum(dble(x))
    call MPI_Finalize(ierror)
contains
    subroutine random(a, length)
        integer :: length, k
        double precision :: a(length)
        do k = 1, length
            a(k) = sin(dble(k))*1.0d3
        end do
    end subroutine
end program
