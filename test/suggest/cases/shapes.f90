! Packing loops of Fortran codes. The comment at a call is the verdict.
module shapes
    use mpi
    implicit none
    integer, parameter :: fields = 5
    type particle
        sequence
        double precision :: x(3), mass
        integer :: id, kind
    end type
    double precision :: grid(fields, -1:20, 0:10)
    double precision, allocatable :: field(:, :, :)
    real :: single(12, 8)
    complex(8) :: waves(16, 16)
    integer :: nx, ny, nz, list(100)

contains

    ! a plane of a module's array, with bounds that do not start at 1
    subroutine plane(peer)
        integer, intent(in) :: peer
        double precision :: buffer(fields*20)
        integer :: i, m, p, ierror

        p = 0
        do i = 0, nx
            do m = 1, fields
                p = p + 1
                buffer(p) = grid(m, i, 3)
            end do
        end do
        call MPI_Send(buffer, p, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    ! a dummy argument of sizes that are arguments, packed by array syntax
    subroutine rows(a, n, m, peer)
        integer, intent(in) :: n, m, peer
        double precision, intent(in) :: a(n, 0:m + 1)
        double precision :: buffer(m)
        integer :: ierror

        buffer(1:m) = a(2, 1:m)
        call MPI_Send(buffer, m, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    ! an allocatable array: its bounds are known at run time
    subroutine face(peer)
        integer, intent(in) :: peer
        double precision :: buffer(10000)
        integer :: j, k, p, ierror

        p = 1
        do k = 1, nz
            do j = 1, ny
                buffer(p) = field(2, j, k)
                p = p + 1
            end do
        end do
        call MPI_Send(buffer, ny*nz, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    ! every second element, downwards
    subroutine backwards(a, n, peer)
        integer, intent(in) :: n, peer
        real, intent(in) :: a(2*n)
        real :: buffer(n)
        integer :: i, p, ierror

        p = 0
        do i = 2*n, 2, -2
            p = p + 1
            buffer(p) = a(i)
        end do
        call MPI_Send(buffer, n, MPI_REAL, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    subroutine members(p, n, peer)
        integer, intent(in) :: n, peer
        type(particle), intent(in) :: p(n)
        double precision :: buffer(4*n)
        integer :: i, d, k, ierror

        k = 0
        do i = 1, n
            do d = 1, 3
                buffer(k + d) = p(i)%x(d)
            end do
            buffer(k + 4) = p(i)%mass
            k = k + 4
        end do
        call MPI_Send(buffer, 4*n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    subroutine listed(a, n, peer)
        integer, intent(in) :: n, peer
        double precision, intent(in) :: a(*)
        double precision :: buffer(100)
        integer :: i, ierror, request

        do i = 1, n
            buffer(i) = a(list(i))
        end do
        call MPI_Isend(buffer, n, MPI_REAL8, peer, 1, MPI_COMM_WORLD, request, ierror) ! decided
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    end subroutine

    subroutine complex_column(peer)
        integer, intent(in) :: peer
        complex(8) :: buffer(16)
        integer :: i, ierror

        do i = 1, nx
            buffer(i) = waves(3, i)
        end do
        call MPI_Send(buffer, nx, MPI_DOUBLE_COMPLEX, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    subroutine received(a, n, m, peer)
        integer, intent(in) :: n, m, peer
        double precision, intent(inout) :: a(n, m)
        double precision :: buffer(m)
        integer :: i, ierror, requests(2)

        call MPI_Irecv(buffer, m, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, requests(1), ierror) ! decided
        call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE, ierror)
        do i = 1, m
            a(1, i) = buffer(i)
        end do
    end subroutine

    ! the buffer is the caller's, which may read it
    subroutine caller_owns(buffer, peer)
        integer, intent(in) :: peer
        real :: buffer(*)
        integer :: j, ierror

        do j = 1, 8
            buffer(j) = single(4, j)
        end do
        call MPI_Send(buffer, 8, MPI_REAL, peer, 1, MPI_COMM_WORLD, ierror) ! decided keeps
    end subroutine
end module
